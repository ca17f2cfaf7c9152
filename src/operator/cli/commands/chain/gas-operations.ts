import type { Command } from 'commander';
import { expireNow } from '../../../../chain/gas-station/operations/expire-now';
import { show } from '../../../../desk/cli/console';
import { StartupError } from '../../../../kernel/startup-error';
import type { CommandContext } from '../../context';
import { groupOf } from '../../groups';

/** Commands for sweeps and top-ups of the gas station, for testers. */
export function addGasOperationCommands(program: Command, context: CommandContext): void {
  const { console, run } = context;
  groupOf(program, 'gas-operation', 'sweeps and top-ups of the gas station')
    .command('expire <id>')
    .description('in the sandbox: ends the day of an open operation now')
    .option('--json', 'print { "id", "expiresAt" }')
    .action((id: string, { json }: { json?: boolean }) =>
      run(async (session) => {
        if (!session.sandbox) throw new StartupError('Only the sandbox ends the day of an operation early.');
        const { expiresAt } = await session.change(
          (tx) => expireNow(session, tx, id),
          ({ chain, expiresAt: at }) => ({
            action: 'gas-operation.expire',
            subject: id,
            after: { chain, expiresAt: at },
          }),
        );
        show(console, json, { id, expiresAt: expiresAt.toISOString() }, `${id}: its day is over.`);
      }),
    );
}
