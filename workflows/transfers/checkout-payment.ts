import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { localFirst } from '../support/local-first';
import { listenForLooks } from '../support/look-signal';
import { showing } from '../support/status';
import { looksAgain } from '../support/summary';

const { matchSession } = localFirst<Pick<TransferActivities, 'matchSession'>>(PARTY_QUEUES.checkout, {
  matchSession: (sessionId) => `look for the deposit of the session ${sessionId}, or ask the checkout`,
});

/**
 * Most often the callback was faster than the answer to our own call, and the deposit learns the session within
 * seconds.
 */
const FIRST_MS = 5_000;
const LONGEST_MS = 60 * 60_000;
/**
 * About a week of turns. The reconciler starts the workflow again. A turn repeats only while the session stays unknown.
 */
const TURNS = 180;

const UNKNOWN = 'Waits for a deposit that names the session.';
const FOUND = 'It is known what the session is.';

/**
 * Finds out what a checkout session is that no deposit names (`checkout-payment-<sessionId>`). It belongs to a deposit
 * after all, holds no money, or holds money of no known owner, which becomes a transfer in suspense.
 * @returns the finding, or `open` after the last turn
 */
export async function checkoutPayment(sessionId: string): Promise<string> {
  const looks = listenForLooks();
  const show = showing(sessionId);
  for (let turn = 0; turn < TURNS; turn += 1) {
    const ms = Math.min(FIRST_MS * 2 ** turn, LONGEST_MS);
    show.details('open', UNKNOWN, { next: Date.now() + ms });
    await looks.within(ms, looksAgain(UNKNOWN, ms));
    const found: string = await matchSession(sessionId);
    if (found === 'open') continue;
    show.details(found, FOUND);
    return found;
  }
  show.details('open', 'Nobody knows the session; the reconciler asks again.');
  return 'open';
}
