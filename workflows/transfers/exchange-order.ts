import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { WAITS } from '../../src/transfers/waits';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advanceExchangeOrder } = localFirst<Pick<TransferActivities, 'advanceExchangeOrder'>>(
  PARTY_QUEUES.exchange,
  {
    advanceExchangeOrder: (id) => `give the exchange ${id}, or ask about it`,
  },
);

/**
 * Leads an exchange order from its creation to its end (`exchange-order-<orderId>`).
 * @param ended its status, if it ended before its workflow started
 * @returns the order's status
 */
export async function exchangeOrder(orderId: string, ended?: string): Promise<string> {
  return follow(orderId, advanceExchangeOrder, WAITS.exchangeOrder, ended);
}
