import type { Tx } from '../../../kernel/db/database';
import type { Services } from '../../../services';
import { type DecidedPayout, type DecidePayout, decideOutgoing } from '../../payouts/decide';
import { ibanPayoutKind } from './kind';

export { payoutsToApprove, shownPayout } from './operations';

/**
 * The operator's word on a payout from a virtual IBAN: what is approved is ordered, what is rejected releases the hold.
 * @throws Problem 404; 409 `invalid_transition`
 */
export const decideIbanPayout = (
  deps: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  given: DecidePayout,
): Promise<DecidedPayout> => decideOutgoing(deps, tx, ibanPayoutKind, given, () => Promise.resolve());
