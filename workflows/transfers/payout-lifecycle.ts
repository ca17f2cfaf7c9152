import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advancePayout } = localFirst<TransferActivities>(PARTY_QUEUES.payouts);

/** Lines for the operator in Temporal's UI, by status. */
const WAITS: Record<string, string> = {
  pending_approval: "Waits for an operator's decision: the total is above the tenant's threshold.",
  processing: 'Ordered: the party has not sent it, or has not answered, yet.',
  sent: 'Sent: the party has not confirmed that it arrived.',
};

/**
 * Leads a payout from its creation to its end (`payout-lifecycle-<payoutId>`).
 * @returns the payout's status
 */
export async function payoutLifecycle(payoutId: string): Promise<string> {
  return follow(payoutId, advancePayout, WAITS);
}
