import type { Queue } from './queue';
import { approvals, breaks, commands, endpoints, overdue } from './queues/house';
import { deposits, exchangeWithdrawals, withdrawals } from './queues/transfers';

/** The queues of domains that declare no desk yet, in the order of the overview. */
export const QUEUES: readonly Queue[] = [
  deposits,
  withdrawals,
  exchangeWithdrawals,
  approvals,
  breaks,
  commands,
  endpoints,
  overdue,
];
