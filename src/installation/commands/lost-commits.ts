import type { Command } from 'commander';
import { show } from '../../desk/cli/console';
import { INSTALLATION } from '../../desk/operators/operations';
import { databaseTime } from '../../kernel/db/clock';
import { isMarkedWithin } from '../../kernel/db/commit-marks';
import type { Database } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { lossByRestore, recordLoss } from '../../watch/lost-commits';
import type { CommandContext } from './context';
import { timeArgument } from './time-argument';

/** Records a loss of commits that no worker can notice, because other tools have restored the database and no memory is left. */
export function addLostCommitsCommand(program: Command, { console, run }: CommandContext): void {
  program
    .command('lost-commits')
    .description(
      'records that commits were lost, before the processes start on a database that other tools restored',
    )
    .option(
      '--since <time>',
      'what was committed later may be lost; default: the last sign of a worker in the database',
      timeArgument,
    )
    .option('--json', 'print { "since", "isNew" }')
    .action(({ since, json }: { since?: Date; json?: boolean }) =>
      run(async (session) => {
        const found = await lossByRestore(session.database);
        const loss = { ...found, since: since ?? found.since };
        const at = await databaseTime(session.database);
        if (!since) await assertAtRest(session.database);
        const told = await session.change(
          session.knownActor ?? INSTALLATION,
          async (tx) => ({ since: loss.since.toISOString(), isNew: await recordLoss(tx, loss, at) }),
          (after) => ({ action: 'commits.lost', subject: 'installation', after }),
        );
        show(console, json, told, textOf(told));
      }),
    );
}

/** More than twice the pause of a worker at rest between two marks. */
const AT_REST_SECONDS = 60;

/** @throws Problem where a worker has just run, because its marks are newer than the loss */
async function assertAtRest(database: Database): Promise<void> {
  if (await isMarkedWithin(database, AT_REST_SECONDS))
    throw conflict(
      'invalid_transition',
      `A worker set a mark less than ${AT_REST_SECONDS} seconds ago, so it has run since the loss. Stop all workers, and give the time of the ` +
        'restored state by --since.',
    );
}

const textOf = ({ since, isNew }: { since: string; isNew: boolean }): string =>
  isNew
    ? [
        `Recorded: what was committed after ${since} may be lost.`,
        "The processes read the parties' lists again from before it, and skip indexes of wallets and virtual IBANs.",
        'Before clients get in: docs/operating.md, "After commits were lost".',
      ].join('\n')
    : `Nothing was changed: a loss that was found after ${since} is recorded already.`;
