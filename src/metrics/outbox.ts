import type { Sql } from '../db/database';
import type { OutboxCounts } from './metrics';

/** A backlog beyond this is shown as this: a scrape must not count millions of rows. */
const COUNTED = 100_000;

/** What waits in the outbox; reads indexes of what is due only. */
export async function outboxCounts(sql: Sql): Promise<OutboxCounts> {
  const [row] = await sql.query<Record<keyof OutboxCounts, string>>(
    `select
       (select count(*) from (select from workflow_commands where parked_at is null limit $1) c) as "commandsDue",
       (select count(*) from (select from workflow_commands where parked_at is not null limit $1) c) as "commandsParked",
       (select count(*) from (select from events where delivery = 'due' limit $1) e) as "eventsDue",
       (select count(*) from (select from events where delivery = 'failed' limit $1) e) as "eventsFailed",
       (select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(due_at))), 0)
          from workflow_commands where parked_at is null) as "oldestCommandAge",
       (select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(m.due_at))), 0)
          from generate_series(0, 15) shard,
          lateral (select due_at from events where delivery = 'due' and events.shard = shard.shard
                    order by due_at limit 1) m) as "oldestEventAge"`,
    [COUNTED],
  );
  const count = (name: keyof OutboxCounts) => Number(row?.[name] ?? 0);
  return {
    commandsDue: count('commandsDue'),
    commandsParked: count('commandsParked'),
    eventsDue: count('eventsDue'),
    eventsFailed: count('eventsFailed'),
    oldestCommandAge: count('oldestCommandAge'),
    oldestEventAge: count('oldestEventAge'),
  };
}
