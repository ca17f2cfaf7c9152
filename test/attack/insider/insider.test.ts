/** @long Takes each line of the table of insiders in docs/security.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { setAdminLimit } from '../../support/operator';
import { type Insider, insider } from './insider';
import { MONEY } from './money';
import { PEOPLE } from './people';

const TRIES = { ...PEOPLE, ...MONEY };

/** The lines of the table: trial and outcome. */
function linesOf(document: string): [what: string, outcome: string][] {
  const [, chapter = ''] = document.split('## What one insider can do alone');
  return [...chapter.matchAll(/^\| ([^|]+) \| (waits|rests|refused|alone) \|/gm)].map(
    ([, what = '', outcome = '']) => [what, outcome],
  );
}

const LINES = linesOf(readFileSync(join(__dirname, '../../../docs/security.md'), 'utf8'));

let ida: Insider;
beforeAll(async () => {
  ida = await insider();
}, 120_000);
beforeEach(() => setAdminLimit(ida.world.api.database, '1000000'));
afterEach(async () => expect(await checkLedger(ida.world.api.database)).toEqual([]));
afterAll(() => ida.world.close());

it('every line of the table has a trial, and every trial a line', () => {
  expect(LINES.length).toBeGreaterThan(30);
  expect(LINES.map(([what]) => what).sort()).toEqual(Object.keys(TRIES).sort());
});

it.each(LINES)('%s: %s', async (what, outcome) => {
  expect(await TRIES[what]?.(ida)).toBe(outcome);
});
