import type { Command } from 'commander';
import { show } from '../../../desk/cli/console';
import { allBreaks, breaks } from '../../../desk/queues/house';
import { resolveBreak } from '../../../process/breaks/operations';
import { breakView } from '../../../process/breaks/view';
import { textArgument } from '../arguments';
import type { CommandContext } from '../context';
import { addQueueListing } from '../desk/queue-listing';

const LONGEST_NOTE = 500;

export function addBreakCommands(program: Command, context: CommandContext): void {
  const group = program.command('breaks').description('money and messages that fit no record');
  addQueueListing(group, context, breaks, { all: allBreaks });
  addResolve(group, context);
}

function addResolve(group: Command, { console, run }: CommandContext): void {
  group
    .command('resolve <id>')
    .description('says what became of it; money is moved by other commands')
    .requiredOption('--note <text>', 'what was found and done', textArgument(LONGEST_NOTE))
    .option('--json', 'print the break as JSON')
    .action((id: string, { note, json }: { note: string; json?: boolean }) =>
      run(async (session) => {
        const resolved = await session.change(
          (tx) => resolveBreak(tx, { id, note, resolvedBy: session.actor, at: session.now() }),
          ({ tenantId, kind, subject }) => ({
            action: 'breaks.resolve',
            subject: id,
            tenantId,
            after: { kind, subject, note },
          }),
        );
        show(console, json, breakView(resolved), `${id} is resolved.`);
      }),
    );
}
