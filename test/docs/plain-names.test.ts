import { type Rule, RuleTester } from 'eslint';

const rule = jest.requireActual<Rule.RuleModule>('../../scripts/lint/plain-names.js');

new RuleTester().run('plain-names', rule, {
  valid: [
    { code: 'export const MAX_PAGES = 50;', filename: '/work/src/watch/list-loop-guard.ts' },
    { code: 'export const almost = 1;', filename: '/work/bench/line.ts' },
  ],
  invalid: [
    { code: 'const MOST_PAGES = 50;', errors: ['`MOST_PAGES` is a retired name. Use MAX_….'] },
    {
      code: 'export {};',
      filename: '/work/src/watch/course.ts',
      errors: ['`course` is a retired file name. Use list-loop-guard.'],
    },
    {
      code: 'export {};',
      filename: '/work/test/cards/processor/line.test.ts',
      errors: ['`processor/line` is a retired file name. Use answer-message, deduplicate.'],
    },
  ],
});
