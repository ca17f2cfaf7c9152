import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advanceIbanPayout } = localFirst<TransferActivities>(PARTY_QUEUES.payouts);

/** Lines for the operator in Temporal's UI, by status. */
const WAITS: Record<string, string> = {
  pending_approval: "Waits for an operator's decision: the total is above the company's threshold.",
  processing: 'Ordered: the payouts party has not sent it, or has not answered, yet.',
  sent: 'The payouts party has sent it, and has not confirmed that it arrived.',
};

/**
 * Leads a payout from a virtual IBAN to its end (`iban-payout-<id>`).
 * @returns the payout's status
 */
export async function ibanPayout(id: string): Promise<string> {
  return follow(id, advanceIbanPayout, WAITS);
}
