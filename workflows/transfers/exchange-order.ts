import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advanceExchangeOrder } = localFirst<TransferActivities>(PARTY_QUEUES.exchange);

/** Lines for the operator in Temporal's UI, by status. */
const WAITS: Record<string, string> = {
  created: 'Asking the exchange.',
  executing: 'The exchange has it: more of it may be dealt.',
  awaiting_settlement: 'Dealt: waits until a check of the settlement finds that what was bought has come.',
};

/**
 * Leads an exchange order from its creation to its end (`exchange-order-<orderId>`).
 * @returns the order's status
 */
export async function exchangeOrder(orderId: string): Promise<string> {
  return follow(orderId, advanceExchangeOrder, WAITS);
}
