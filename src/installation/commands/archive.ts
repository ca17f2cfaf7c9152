import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import { archiveChains } from '../../cards/events/archive';
import { show } from '../../desk/cli/console';
import { INSTALLATION } from '../../desk/operators/operations';
import { MIN_ARCHIVED_DAYS } from '../../kernel/archive-age';
import type { CommandContext } from './context';
import { timeArgument } from './time-argument';

/** Takes the events of old chains out of the database, with the owner's rights. */
export function addArchiveCommand(program: Command, { console, run }: CommandContext): void {
  program
    .command('archive')
    .description(
      'as DATABASE_OWNER_URL: writes the card transactions of ended chains to a file and deletes them; late refunds and settlements ' +
        'still find their authorization',
    )
    .requiredOption(
      '--before <time>',
      `chains whose last event is older, at least ${MIN_ARCHIVED_DAYS} days`,
      timeArgument,
    )
    .requiredOption('--to <file>', 'a JSON object a line; the file may exist, and lines are added')
    .option('--json', 'print { "chains", "transactions" }')
    .action(({ before, to, json }: { before: Date; to: string; json?: boolean }) =>
      run(({ asOwner, knownActor = INSTALLATION }) =>
        asOwner(async (owner, change) => {
          const file = await open(to, 'a', 0o600);
          try {
            const done = await archiveChains(owner, before, async (lines) => {
              await file.appendFile(`${lines.join('\n')}\n`);
              await file.sync();
            });
            const after = { before: before.toISOString(), ...done };
            await change(
              knownActor,
              async () => undefined,
              () => ({ action: 'installation.archive', subject: 'card_transactions', after }),
            );
            show(
              console,
              json,
              done,
              `Archived: ${done.chains} chains, ${done.transactions} card transactions.`,
            );
          } finally {
            await file.close();
          }
        }),
      ),
    );
}
