import { type Command, InvalidArgumentError } from 'commander';
import { show } from '../../../desk/cli/console';
import { commands } from '../../../desk/queues/house';
import { retryParked } from '../../../kernel/outbox/waiting-commands';
import { reasonArgument } from '../arguments';
import type { CommandContext } from '../context';
import { addQueueListing } from '../desk/queue-listing';

export function addWorkflowCommands(program: Command, context: CommandContext): void {
  const { console, run } = context;
  const group = program
    .command('commands')
    .description('what Temporal was to be told and refused for good (parked after 20 tries)');
  addQueueListing(group, context, commands);
  group
    .command('retry')
    .argument('[numbers...]', 'as the list shows them', numbersArgument)
    .description('tries them again from the beginning: those with these numbers, or all')
    .option('--reason <text>', 'kept in the audit log', reasonArgument)
    .option('--json', 'print { "retried" }')
    .action((numbers: string[] | undefined, { reason, json }: { reason?: string; json?: boolean }) =>
      run(async (session) => {
        const chosen = numbers && numbers.length > 0 ? numbers : undefined;
        const retried = await session.change(
          (tx) => retryParked(tx, chosen),
          (count) => ({ action: 'commands.retry', after: { numbers: chosen ?? 'all', count, reason } }),
        );
        show(console, json, { retried }, `${retried} to be tried again`);
      }),
    );
}

function numbersArgument(text: string, before: string[] = []): string[] {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError("It takes a command's number.");
  return [...before, text];
}
