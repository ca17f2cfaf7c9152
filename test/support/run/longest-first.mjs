import Sequencer from '@jest/test-sequencer';

/**
 * Runs the longest files first, by the estimates of plan.mjs. A long file that starts late would run alone at the end.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const seconds = JSON.parse(process.env.TEST_PLAN ?? '{}');
    return super.sort(tests).sort((a, b) => (seconds[b.path] ?? 0) - (seconds[a.path] ?? 0));
  }
}
