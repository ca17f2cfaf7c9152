import { countEvents } from '../outbox/event-counts';
import { countCommands } from '../outbox/waiting-commands';
import { sample } from './definitions';
import type { Reading } from './readings';

/** Counts of the outbox. */
export const outboxReading: Reading = {
  name: 'outbox',
  gauges: ['outbox_workflow_commands', 'outbox_webhook_events', 'outbox_oldest_seconds'],
  async read(sql) {
    const [commands, events] = [await countCommands(sql), await countEvents(sql)];
    return [
      sample('outbox_workflow_commands', { state: 'due' }, commands.due),
      sample('outbox_workflow_commands', { state: 'parked' }, commands.parked),
      sample('outbox_webhook_events', { state: 'due' }, events.due),
      sample('outbox_webhook_events', { state: 'failed' }, events.failed),
      sample('outbox_oldest_seconds', { kind: 'command' }, commands.oldestSeconds),
      sample('outbox_oldest_seconds', { kind: 'event' }, events.oldestSeconds),
    ];
  },
};
