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

/** Everything that waits for a person, in the order of the overview. */
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

/** @throws Problem 404 that names those that there are */
export function requireQueue(name: string): Queue {
  const queue = QUEUES.find((each) => each.name === name);
  if (!queue) throw notFound(`queue ${name} (there are ${QUEUES.map((each) => each.name).join(', ')})`);
  return queue;
}

export interface QueueCount {
  queue: string;
  count: number;
  /** How long the oldest has waited; 0 where none does. */
  oldestSeconds: number;
}

/** How much waits where, for the overview and for metrics: a few cheap statements one after another, on one connection. */
export async function waitingCounts(sql: Sql, now = new Date()): Promise<QueueCount[]> {
  const counts: QueueCount[] = [];
  for (const { name, count } of QUEUES) counts.push({ queue: name, ...(await count(sql, now)) });
  return counts;
}
