import { type Command, Option } from 'commander';
import { REGISTRATIONS, type Registration } from '../../../kernel/outbox/events';
import { requireTenant } from '../../../tenants/clients/operations';
import { listEndpoints, retryFailed } from '../../../tenants/webhooks/operator';
import { show, table } from '../console';
import type { Operator } from '../context';
import { checkedTime } from './ledger';

const STATUSES = ['active', 'failing', 'disabled'] as const;
type Status = (typeof STATUSES)[number];

export function addWebhookCommands(program: Command, operator: Operator): void {
  const group = program.command('webhooks').description('endpoints of clients, and what waits for them');
  addList(group, operator);
  addRetry(group, operator);
}

function addList(group: Command, { console, run }: Operator): void {
  group
    .command('list')
    .description('registered endpoints with the deliveries that wait, were given up or are parked')
    .option('--client <id>', 'of this tenant only')
    .addOption(new Option('--status <status>', 'in this state only').choices(STATUSES))
    .option('--json', 'print a JSON array')
    .action(({ client, status, json }: { client?: string; status?: Status; json?: boolean }) =>
      run(async ({ database }) => {
        const endpoints = await listEndpoints(database, { tenantId: client, status });
        const rows = endpoints.map((each) => [
          ...[each.tenantId, each.registration, each.status, each.due, each.failed, each.parked],
          ...[each.url, each.lastError],
        ]);
        const columns = ['client', 'type', 'status', 'due', 'failed', 'parked', 'url', 'last error'];
        show(console, json, endpoints, table(columns, rows));
      }),
    );
}

function addRetry(group: Command, { console, run }: Operator): void {
  group
    .command('retry <client-id>')
    .description('queues deliveries again that were given up, in the order of their time')
    .addOption(new Option('--type <type>', 'of this registration only').choices(REGISTRATIONS))
    .option('--from <time>', 'of events since then only', checkedTime)
    .option('--json', 'print how many, by type')
    .action((id: string, { type, from, json }: { type?: Registration; from?: Date; json?: boolean }) =>
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
            after: { type: type ?? 'all', from: from?.toISOString() ?? null, queued },
          }),
        );
        const rows = Object.entries(counts).map(([name, count]) => [name, count]);
        show(console, json, counts, table(['type', 'queued again'], rows));
      }),
    );
}
