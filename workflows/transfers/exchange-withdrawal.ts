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

/** Leads a withdrawal from the exchange to its end (`exchange-withdrawal-<id>`). @returns its status */
export const exchangeWithdrawal = (id: string): Promise<string> =>
  follow(id, advanceExchangeWithdrawal, WAITS.exchangeWithdrawal);
