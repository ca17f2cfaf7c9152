import type { Queue } from './queue';
import { breaks, commands, endpoints, overdue } from './queues/house';
import { cardholders, kyc } from './queues/people';
import { deposits, exchangeWithdrawals, withdrawals } from './queues/transfers';

/** The queues of domains that declare no desk yet, in the order of the overview. */
export const QUEUES: readonly Queue[] = [
  cardholders,
  kyc,
  deposits,
  withdrawals,
  exchangeWithdrawals,
  breaks,
  commands,
  endpoints,
  overdue,
];
