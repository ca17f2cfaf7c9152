import Sequencer from '@jest/test-sequencer';

/** The longest files first, as plan.mjs has estimated them: a long file that begins late ends alone. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const seconds = JSON.parse(process.env.TEST_PLAN ?? '{}');
    return super.sort(tests).sort((a, b) => (seconds[b.path] ?? 0) - (seconds[a.path] ?? 0));
  }
}
