import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { localFirst } from '../support/local-first';
import { listenForLooks } from '../support/look-signal';

const { matchSession } = localFirst<TransferActivities>(PARTY_QUEUES.checkout);

/** Its deposit is most often about to know it: the callback was faster than the answer to our own call. */
const FIRST_MS = 5_000;
const LONGEST_MS = 60 * 60_000;
/** For about a week, then it is begun anew. The first answer ends it, but where a deposit or the party is about to know it. */
const TURNS = 180;

/**
 * Finds out what a session is that no deposit knows (`checkout-payment-<sessionId>`): a deposit's after all, one without
 * money, or money that is nobody's, which is kept as a transfer of its own.
 * @returns what it has come to
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
