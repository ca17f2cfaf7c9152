import type { DepositActivities } from '../../activities/deposits';
import { localFirst } from '../support/local-first';
import { listenForLooks } from '../support/look-signal';

const { matchSession } = localFirst<DepositActivities>();

/** Its deposit is most often about to know it: the callback was faster than the answer to our own call. */
const FIRST_MS = 5_000;
const LONGEST_MS = 60 * 60_000;
/** A session that is neither paid nor settled after about a week will not be. */
const TURNS = 180;

/**
 * Follows a session that no deposit knows (`checkout-payment-<sessionId>`) until a deposit knows it, there is no money in it,
 * or its settled money stands in suspense with a break.
 * @returns what it has come to
 */
export async function checkoutPayment(sessionId: string): Promise<string> {
  const looks = listenForLooks();
  for (let turn = 0; turn < TURNS; turn += 1) {
    await looks.next(Math.min(FIRST_MS * 2 ** turn, LONGEST_MS));
    const progress = await matchSession(sessionId);
    if (progress !== 'open') return progress;
  }
  return 'open';
}
