import type { Sql } from '../db/database';
import { sample } from './definitions';
import type { Reading } from './readings';

/** Records that wait for a person, by queue. */
export type WaitingCounts = (
  sql: Sql,
) => Promise<readonly { queue: string; count: number; oldestSeconds: number }[]>;

export const waitingReading = (counts: WaitingCounts): Reading => ({
  name: 'waiting',
  gauges: ['waiting_for_person', 'waiting_for_person_oldest_seconds'],
  read: async (sql) =>
    (await counts(sql)).flatMap(({ queue, count, oldestSeconds }) => [
      sample('waiting_for_person', { queue }, count),
      sample('waiting_for_person_oldest_seconds', { queue }, oldestSeconds),
    ]),
});
