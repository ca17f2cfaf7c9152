import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advanceExternalCard } = localFirst<TransferActivities>(PARTY_QUEUES.externalCards);

/** Lines for the operator in Temporal's UI, by status. */
const WAITS: Record<string, string> = {
  pending_approval: "Waits for an operator's decision: it is above the tenant's thresholds.",
  pending: 'Asking the card acquirer.',
  requires_action: 'The payer must confirm on the page of the card’s bank.',
  processing: 'The card acquirer has taken it on; the money is on its way.',
};

/**
 * Leads a top-up from a payment card (`card-topup-<id>`), or a withdrawal to one (`card-withdrawal-<id>`), to its end.
 * @returns the record's status
 */
export async function externalCardTransfer(id: string): Promise<string> {
  return follow(id, advanceExternalCard, WAITS);
}
