import type { Sql } from '../db/database';
import { SHARDS } from './events';

/** Largest count. A larger backlog is reported as this number, because counting millions of rows is slow. */
const COUNTED = 100_000;

export interface EventCounts {
  /** Waiting deliveries, and deliveries that were given up. */
  due: number;
  failed: number;
  /** Seconds since the oldest delivery was due, 0 when none waits. */
  oldestSeconds: number;
}

/** Counts for metrics. Reads only the indexes of due and failed deliveries. */
export async function countEvents(sql: Sql): Promise<EventCounts> {
  const [row] = await sql.query<{ due: string; failed: string; oldest: string | null }>(
    `select
       (select count(*) from (select from events where delivery = 'due' limit $1) e) as due,
       (select count(*) from (select from events where delivery = 'failed' limit $1) e) as failed,
       (select extract(epoch from clock_timestamp() - min(first.due_at))
          from generate_series(0, $2 - 1) s,
          lateral (select due_at from events where delivery = 'due' and shard = s order by due_at limit 1) first) as oldest`,
    [COUNTED, SHARDS],
  );
  return {
    due: Number(row?.due ?? 0),
    failed: Number(row?.failed ?? 0),
    oldestSeconds: Math.max(0, Number(row?.oldest ?? 0)),
  };
}
