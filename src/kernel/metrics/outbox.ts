import type { Sql } from '../db/database';
import { countEvents } from '../outbox/event-counts';
import { countCommands } from '../outbox/waiting-commands';
import type { OutboxCounts } from './metrics';

/** What waits in the outbox. */
export async function outboxCounts(sql: Sql): Promise<OutboxCounts> {
  const [commands, events] = await Promise.all([countCommands(sql), countEvents(sql)]);
  return {
    commandsDue: commands.due,
    commandsParked: commands.parked,
    eventsDue: events.due,
    eventsFailed: events.failed,
    oldestCommandAge: commands.oldestSeconds,
    oldestEventAge: events.oldestSeconds,
  };
}
