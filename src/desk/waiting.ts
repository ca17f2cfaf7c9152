import type { Sql } from '../kernel/db/database';
import { notFound } from '../kernel/errors';
import type { Queue } from './queue';
import { approvals, breaks, commands, endpoints, overdue } from './queues/house';
import { cardholders, kyc } from './queues/people';
import {
  deposits,
  exchangeWithdrawals,
  ibanPayouts,
  payouts,
  suspense,
  withdrawals,
} from './queues/transfers';

/** All queues, in the order of the overview. */
export const QUEUES: readonly Queue[] = [
  cardholders,
  kyc,
  deposits,
  payouts,
  ibanPayouts,
  withdrawals,
  exchangeWithdrawals,
  approvals,
  suspense,
  breaks,
  commands,
  endpoints,
  overdue,
];

/** @throws Problem 404 naming the queues that exist */
export function requireQueue(name: string): Queue {
  const queue = QUEUES.find((each) => each.name === name);
  if (!queue) throw notFound(`queue ${name} (there are ${QUEUES.map((each) => each.name).join(', ')})`);
  return queue;
}

export interface QueueCount {
  queue: string;
  count: number;
  /** Waiting time of the oldest record, 0 when none waits. */
  oldestSeconds: number;
}

/** Length of each queue, for the overview and for metrics. Cheap statements, one after another on one connection. */
export async function waitingCounts(sql: Sql, now = new Date()): Promise<QueueCount[]> {
  const counts: QueueCount[] = [];
  for (const { name, count } of QUEUES) counts.push({ queue: name, ...(await count(sql, now)) });
  return counts;
}
