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
       (select extract(epoch from product_now() - min(first.due_at))
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

/**
 * The number of events in each hour of `[from, to)`, by their delivery. Events without an endpoint are left out. Numbers
 * grow with time, so a search through the primary key finds the first event, a minute early because commits overtake.
 */
export async function countEventsByHour(
  sql: Sql,
  { from, to }: { from: Date; to: Date },
): Promise<{ at: Date; delivery: string; count: number }[]> {
  const [first] = await sql.query<{ number: string }>(
    `with recursive place (low, high) as (
       select coalesce((select min(number) from events), 0), coalesce((select max(number) from events), -1) + 1
       union all
       select case when e.created_at < $1 then e.number + 1 else low end,
              case when e.created_at < $1 then high else (low + high) / 2 end
         from place cross join lateral (
           select number, created_at from events where number >= (low + high) / 2 order by number limit 1) e
        where low < high)
     select low::text as number from place where low >= high limit 1`,
    [new Date(from.getTime() - 60_000)],
  );
  return sql.query(
    `select date_trunc('hour', created_at, 'UTC') as at, delivery, count(*)::int as count from events
      where number >= $1 and created_at >= $2 and created_at < $3 and delivery <> 'recorded' group by 1, 2 order by 1, 2`,
    [first?.number ?? '0', from, to],
  );
}
