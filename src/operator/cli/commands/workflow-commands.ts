import { type Command, InvalidArgumentError } from 'commander';
import { listParked, retryParked } from '../../../kernel/outbox/waiting-commands';
import { show, table } from '../console';
import type { Operator } from '../context';

export function addWorkflowCommands(program: Command, { console, run }: Operator): void {
  const group = program
    .command('commands')
    .description('what Temporal was to be told and refused for good (parked after 20 tries)');
  group
    .command('list')
    .description('the parked ones, the newest first')
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database }) => {
        const parked = await listParked(database);
        const rows = parked.map((each) => [
          ...[each.number, each.action, each.workflowId, each.parkedAt.toISOString(), each.lastError],
        ]);
        show(console, json, parked, table(['number', 'action', 'workflow', 'parked', 'last error'], rows));
      }),
    );
  group
    .command('retry [numbers...]')
    .description('tries them again from the beginning: those with these numbers, or all')
    .option('--json', 'print { "retried" }')
    .action((numbers: string[], { json }: { json?: boolean }) =>
      run(async (session) => {
        const chosen = numbers.length > 0 ? numbers.map(checkedNumber) : undefined;
        const retried = await session.change(
          (tx) => retryParked(tx, chosen),
          (count) => ({ action: 'commands.retry', after: { numbers: chosen ?? 'all', count } }),
        );
        show(console, json, { retried }, `${retried} to be tried again`);
      }),
    );
}

function checkedNumber(text: string): string {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError(`${text} is not a command's number.`);
  return text;
}
