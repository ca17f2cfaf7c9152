import {
  countParked,
  findParked,
  listParked,
  type ParkedCommand,
  retryParked,
} from '../../kernel/outbox/waiting-commands';
import { type Decision, decision, installation, type SubjectSpec } from '../desk/decision';
import { type Desk, defineDesk } from '../desk/desk';
import { columnsOf, list } from '../desk/list';
import type { DeskDeps } from '../desk/story';
import { waitingFilterOf, waitingFilters } from '../desk/waiting-filters';

const columns = columnsOf<ParkedCommand>();

/** The desk of commands for workflows that Temporal has refused for good. */
export const outboxDesk = ({ database, now }: DeskDeps): Desk =>
  defineDesk({
    name: 'commands',
    title: 'What Temporal was to be told',
    lists: [
      list({
        name: 'commands',
        title: 'workflow commands that Temporal has refused for good (parked after 20 attempts)',
        filters: waitingFilters({ kind: 'The workflow.' }),
        columns: {
          number: columns.id('number', ({ number }) => number),
          action: columns.text('action', ({ action }) => action),
          workflow: columns.text('workflow', ({ workflowId }) => workflowId),
          tries: columns.text('tries', ({ attempts }) => attempts),
          lastError: columns.text('last error', ({ lastError }) => lastError),
          client: columns.id('client', ({ tenantId }) => tenantId),
          since: columns.since('since', ({ parkedAt }) => parkedAt),
        },
        rows: (page) => listParked(database, waitingFilterOf(page, now())),
        place: ({ number, parkedAt }) => ({ since: parkedAt, id: number }),
        waitsSince: (sql) => countParked(sql),
        fails: true,
        decisions: ['commands.retry', 'commands.retry-all'],
      }),
    ],
    decisions: [retryOne, retryAll],
  });

const parked: SubjectSpec<ParkedCommand> = {
  noun: 'command',
  kinds: [],
  read: (sql, number) => findParked(sql, number),
  lock: (tx, number) => findParked(tx, number, { lock: 'update' }),
  tenantOf: ({ tenantId }) => tenantId,
};

const retryOne: Decision = decision<ParkedCommand>({
  name: 'commands.retry',
  title: 'tries the command with this number again from the beginning',
  permission: 'security',
  subject: parked,
  reason: 'optional',
  restsOn: ({ parkedAt, lastError }) => ({ parkedAt: parkedAt.toISOString(), lastError }),
  preview: async (_, { subject: { attempts } }) => [
    { field: 'tries', from: String(attempts), to: '0' },
    { field: 'status', from: 'parked', to: 'due' },
  ],
  async execute(tx, { id, subject: { attempts, workflowId } }) {
    const retried = await retryParked(tx, [id]);
    return { before: { attempts }, after: { workflowId, count: retried }, result: { retried } };
  },
});

const retryAll: Decision = decision<object>({
  name: 'commands.retry-all',
  title: 'tries all parked commands again from the beginning',
  permission: 'security',
  subject: installation,
  reason: 'optional',
  restsOn: () => ({}),
  preview: async (tx) => [{ field: 'parked commands', from: String((await countParked(tx)).count), to: '0' }],
  async execute(tx) {
    const retried = await retryParked(tx);
    return { after: { count: retried }, result: { retried } };
  },
});
