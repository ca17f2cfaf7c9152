import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { lookAtDeposit } = localFirst<TransferActivities>(PARTY_QUEUES.checkout);

/** Lines for the operator in Temporal's UI, by status. */
const WAITS: Record<string, string> = {
  created: 'Waits for the page of the checkout.',
  awaiting_payment: 'Waits for the payer.',
  processing: 'Waits for the settlement.',
  manual_review: "Waits for an operator's decision, or for what was decided to be done.",
  completed: 'Credited: a refund is under way.',
};

/**
 * Leads a deposit from its creation to its end (`deposit-<depositId>`).
 * @returns the deposit's status
 */
export async function depositLifecycle(depositId: string): Promise<string> {
  return follow(depositId, lookAtDeposit, WAITS);
}
