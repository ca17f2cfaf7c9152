import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

/**
 * The longest files, the longest first: a long file that begins late ends alone. Jest knows how long each took only where it
 * has run before, and goes by their size in a fresh checkout, where the longest proofs are among the smallest files.
 */
const LONGEST = [
  'chaos/kills.test.ts',
  'chaos/faults.test.ts',
  'transfers/engine/proof/postgres.test.ts',
  'chain/gas-station/many/many.test.ts',
  'startup/launched.test.ts',
  'attack/tenants.test.ts',
  'e2e/product.test.ts',
  'workflows/payout-lifecycle.test.ts',
  'chain/gas-station/operations/broken-off.test.ts',
  'e2e/guides.test.ts',
  'chaos/secrets/leaks.test.ts',
  'startup/main.test.ts',
  'workflows/replay.test.ts',
  'e2e/live.test.ts',
  'cards/processor/unanswered.test.ts',
  'workers/worker.test.ts',
  'workflows/cardholder-submission.test.ts',
  'transfers/deposits/conservation.test.ts',
  'workflows/exchange-lifecycle.test.ts',
  'transfers/engine/proof/paths.test.ts',
  'tenants/webhooks/delivery/dispatcher.test.ts',
  'growth/plans.test.ts',
  'workflows/webhook-recovery.test.ts',
  'workflows/card-processes.test.ts',
  'startup/embedded/temporal.test.ts',
  'transfers/switched-off.test.ts',
  'workflows/kyc-review.test.ts',
  'parties/sandbox/words.test.ts',
].map((file) => fileURLToPath(new URL(`../../${file}`, import.meta.url)));

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const gone = LONGEST.filter((path) => !existsSync(path));
    if (gone.length > 0) throw new Error(`longest-first.mjs names what is no more: ${gone.join()}`);
    const rank = ({ path }) => LONGEST.indexOf(path);
    const isLong = ({ path }) => LONGEST.includes(path);
    const others = super.sort(tests.filter((test) => !isLong(test)));
    return [...tests.filter(isLong).sort((a, b) => rank(a) - rank(b)), ...others];
  }
}
