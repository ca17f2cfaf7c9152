import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { localFirst } from '../support/local-first';
import { listenForLooks } from '../support/look-signal';

const { matchSession } = localFirst<TransferActivities>(PARTY_QUEUES.checkout);

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

/**
 * Finds out what a checkout session is that no deposit names (`checkout-payment-<sessionId>`). It belongs to a deposit
 * after all, holds no money, or holds money of no known owner, which becomes a transfer in suspense.
 * @returns the finding, or `open` after the last turn
 */
export async function checkoutPayment(sessionId: string): Promise<string> {
  const looks = listenForLooks();
  for (let turn = 0; turn < TURNS; turn += 1) {
    await looks.next(Math.min(FIRST_MS * 2 ** turn, LONGEST_MS));
    const found: string = await matchSession(sessionId);
    if (found !== 'open') return found;
  }
  return 'open';
}
