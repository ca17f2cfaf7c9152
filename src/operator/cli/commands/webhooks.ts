import { type Command, Option } from 'commander';
import { show, table } from '../../../desk/cli/console';
import { REGISTRATIONS, type Registration } from '../../../kernel/outbox/events';
import { requireTenant } from '../../../tenants/clients/operations';
import { listEndpoints, retryFailed } from '../../../tenants/webhooks/operator';
import { reasonArgument, timeArgument } from '../arguments';
import type { CommandContext } from '../context';
import { addListing } from '../listing';

const STATUSES = ['active', 'failing', 'disabled'] as const;
type Status = (typeof STATUSES)[number];

export function addWebhookCommands(program: Command, context: CommandContext): void {
  const group = program.command('webhooks').description('endpoints of clients, and what waits for them');
  addListing(group, context, {
    description: 'registered endpoints with the deliveries that wait, were given up or are parked',
    options: [
      new Option('--client <id>', 'of this tenant only'),
      new Option('--status <status>', 'in this state only').choices(STATUSES),
    ],
    load: ({ database }, { client, status }: { client?: string; status?: Status }) =>
      listEndpoints(database, { tenantId: client, status }),
    columns: ['client', 'type', 'status', 'due', 'failed', 'parked', 'url', 'last error'],
    row: (each) => [
      ...[each.tenantId, each.registration, each.status, each.due, each.failed, each.parked],
      ...[each.url, each.lastError],
    ],
  });
  addRetry(group, context);
}

interface RetryOptions {
  type?: Registration;
  from?: Date;
  reason?: string;
  json?: boolean;
}

function addRetry(group: Command, { console, run }: CommandContext): void {
  group
    .command('retry <client-id>')
    .description('queues deliveries again that were given up, in the order of their time')
    .addOption(new Option('--type <type>', 'of this registration only').choices(REGISTRATIONS))
    .option('--from <time>', 'of events since then only', timeArgument)
    .option('--reason <text>', 'kept in the audit log', reasonArgument)
    .option('--json', 'print how many, by type')
    .action((id: string, { type, from, reason, json }: RetryOptions) =>
      run(async (session) => {
        const counts = await session.change(
          async (tx) => {
            await requireTenant(tx, id);
            return retryFailed(tx, session.commands, { tenantId: id, registration: type, fromDate: from });
          },
          (queued) => ({
            action: 'webhooks.retry',
            subject: id,
            tenantId: id,
            after: { type: type ?? 'all', from: from?.toISOString() ?? null, queued, reason },
          }),
        );
        const rows = Object.entries(counts).map(([name, count]) => [name, count]);
        show(console, json, counts, table(['type', 'queued again'], rows));
      }),
    );
}
