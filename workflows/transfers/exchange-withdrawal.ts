import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { WAITS } from '../../src/transfers/waits';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advanceExchangeWithdrawal } = localFirst<Pick<TransferActivities, 'advanceExchangeWithdrawal'>>(
  PARTY_QUEUES.exchange,
  {
    advanceExchangeWithdrawal: (id) => `give the exchange ${id}, or ask about it`,
  },
);

/**
 * Leads a withdrawal from the exchange to its end (`exchange-withdrawal-<id>`).
 * @param ended its status, if it ended before its workflow started
 * @returns the withdrawal's status
 */
export async function exchangeWithdrawal(id: string, ended?: string): Promise<string> {
  return follow(id, advanceExchangeWithdrawal, WAITS.exchangeWithdrawal, ended);
}
