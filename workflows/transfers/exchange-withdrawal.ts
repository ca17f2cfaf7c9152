import type { TransferActivities } from '../../activities/transfers';
import { PARTY_QUEUES } from '../../src/kernel/outbox/queues';
import { follow } from '../support/follow';
import { localFirst } from '../support/local-first';

const { advanceExchangeWithdrawal } = localFirst<TransferActivities>(PARTY_QUEUES.exchange);

/** Lines for the operator in Temporal's UI, by status. */
const WAITS: Record<string, string> = {
  pending_approval: "Waits for an operator's decision: the total is above the tenant's threshold.",
  processing: 'Ordered: the exchange has not sent it, or has not answered, yet.',
  sent: 'The exchange has sent it, and has not confirmed that it arrived.',
};

/** Leads a withdrawal from the exchange to its end (`exchange-withdrawal-<id>`). @returns its status */
export const exchangeWithdrawal = (id: string): Promise<string> =>
  follow(id, advanceExchangeWithdrawal, WAITS);
