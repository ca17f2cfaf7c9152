import { type Command, InvalidArgumentError } from 'commander';
import { listParked, retryParked } from '../../../kernel/outbox/waiting-commands';
import { show } from '../console';
import type { CommandContext } from '../context';
import { addListing } from '../listing';

export function addWorkflowCommands(program: Command, context: CommandContext): void {
  const { console, run } = context;
  const group = program
    .command('commands')
    .description('what Temporal was to be told and refused for good (parked after 20 tries)');
  addListing(group, context, {
    description: 'the parked ones, the newest first',
    load: ({ database }) => listParked(database),
    columns: ['number', 'action', 'workflow', 'parked', 'last error'],
    row: (each) => [
      ...[each.number, each.action, each.workflowId, each.parkedAt.toISOString(), each.lastError],
    ],
  });
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
