import { createReadStream } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { show, table } from '../../desk/cli/console';
import { INSTALLATION } from '../../desk/operators/operations';
import { MIN_ARCHIVED_DAYS } from '../../kernel/archive-age';
import type { Database } from '../../kernel/db/database';
import { CommitUnknown } from '../../kernel/db/faults';
import { ARCHIVE_SECONDS, makeCheckpoint, removeCovered } from '../../kernel/ledger/archive';
import {
  CHECK_SECONDS,
  checkLedger,
  type TrialBalanceLine,
  takeSnapshots,
  trialBalance,
  trialBalanceAt,
} from '../../kernel/ledger/check';
import { type Archive, archiveProblems, CHECKPOINT_ACTION } from '../../kernel/ledger/check-checkpoints';
import { checkpoints, subjectOf } from '../../kernel/ledger/checkpoints';
import { readCoins } from '../../kernel/ledger/coins';
import type { LedgerProblem } from '../../kernel/ledger/problem';
import { checkRunningSums } from '../../transfers/check';
import type { CommandContext } from './context';
import { timeArgument } from './time-argument';

export function addLedgerCommands(program: Command, context: CommandContext): void {
  const { console, run } = context;
  const group = program.command('ledger').description('the double-entry ledger');
  addArchiveCommand(group, context);
  group
    .command('check')
    .description(
      'proves every posting, balance and total; exit code 1 and the problems when something is wrong',
    )
    .option('--archive <file...>', 'files of "ledger archive", which are proved as well')
    .option('--json', 'print { "trialBalance", "problems" }')
    .action(({ archive = [], json }: { archive?: string[]; json?: boolean }) =>
      run(async ({ database }) => {
        await readCoins(database);
        const problems = await ledgerProblems(database, archive.map(archiveOf));
        const lines = await trialBalance(database);
        const verdict =
          problems.length === 0
            ? 'The ledger is right: every posting sums to zero and every balance equals its entries.'
            : verdictOf(problems);
        show(console, json, { trialBalance: lines, problems }, `${balanceTable(lines)}\n\n${verdict}`);
        return problems.length === 0 ? 0 : 1;
      }),
    );
  group
    .command('trial-balance')
    .description('what is owned and what stands against it, per currency')
    .option('--at <time>', 'as it stood then, for instance 2026-01-31T12:00:00Z', timeArgument)
    .option('--json', 'print a JSON array')
    .action(({ at, json }: { at?: Date; json?: boolean }) =>
      run(async ({ database }) => {
        await readCoins(database);
        const lines = at ? await trialBalanceAt(database, at) : await trialBalance(database);
        show(console, json, lines, balanceTable(lines));
      }),
    );
}

/** Closes the books before a moment, with the owner's rights. */
function addArchiveCommand(group: Command, { console, run }: CommandContext): void {
  group
    .command('archive')
    .description(
      'as DATABASE_OWNER_URL: proves the books, stores each account’s opening balance, writes the entries before it to a file, and ' +
        'deletes those that no client sees. Repeat it with the same time and file when it was broken off',
    )
    .requiredOption(
      '--before <time>',
      `entries that are older, at least ${MIN_ARCHIVED_DAYS} days`,
      timeArgument,
    )
    .requiredOption('--to <file>', 'a new file: a JSON object a line, an entry each')
    .option('--json', 'print { "checkpoint", "entries", "deleted" }')
    .action(({ before, to, json }: { before: Date; to: string; json?: boolean }) =>
      run(async ({ asOwner, knownActor = INSTALLATION }) =>
        asOwner(async (owner, change) => {
          const last = (await checkpoints(owner)).at(-1);
          const isRepeat = last !== undefined && last.at.getTime() === before.getTime();
          if (!isRepeat) {
            const problems = await ledgerProblems(owner);
            if (problems.length > 0) throw new Error(verdictOf(problems));
            await owner.transaction(takeSnapshots, { statementSeconds: CHECK_SECONDS });
          }
          const { number, legs } = isRepeat
            ? last
            : await inNewFile(to, (file) =>
                change(
                  knownActor,
                  async (tx) => makeCheckpoint(tx, before, await writerOf(file)),
                  ({ checkpoint, digest }) => ({
                    action: CHECKPOINT_ACTION,
                    subject: subjectOf(checkpoint.number),
                    after: { before: before.toISOString(), entries: checkpoint.legs, digest },
                  }),
                  { statementSeconds: ARCHIVE_SECONDS },
                ).then(({ checkpoint }) => checkpoint),
              );
          // The file is read again, because the entries leave for good.
          const wrong = await archiveProblems(owner, [archiveOf(to)]);
          if (wrong.length > 0) throw new Error(verdictOf(wrong));
          const deleted = await removeCovered(owner, number);
          show(
            console,
            json,
            { checkpoint: number, entries: legs, deleted },
            `Checkpoint ${number}: ${legs} entries are in ${to}, ${deleted} were deleted.`,
          );
        }),
      ),
    );
}

/** Removes the file again when nothing was committed. */
async function inNewFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'wx', 0o600);
  try {
    return await work(file);
  } catch (error) {
    if (!(error instanceof CommitUnknown)) await unlink(path);
    throw error;
  } finally {
    await file.close();
  }
}

/** Writes lines from the beginning of the file, because a transaction may be tried again. */
async function writerOf(file: FileHandle): Promise<(lines: string[]) => Promise<void>> {
  await file.truncate(0);
  let position = 0;
  return async (lines) => {
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    await file.write(bytes, 0, bytes.length, position);
    await file.sync();
    position += bytes.length;
  };
}

const archiveOf = (name: string): Archive => ({
  name,
  lines: () => createInterface({ input: createReadStream(name), crlfDelay: Number.POSITIVE_INFINITY }),
});

function verdictOf(problems: readonly LedgerProblem[]): string {
  const told = problems.map(({ problem, subject, detail }) => `  ${problem}: ${subject} (${detail})`);
  return `${problems.length} problem${problems.length === 1 ? '' : 's'}:\n${told.join('\n')}`;
}

/** Proves the ledger and the stored sums, each in one snapshot. */
export const ledgerProblems = async (database: Database, archives: readonly Archive[] = []) => [
  ...(await checkLedger(database, archives)),
  ...(await database.transaction(checkRunningSums, { statementSeconds: CHECK_SECONDS })),
];

function balanceTable(lines: TrialBalanceLine[]): string {
  const rows = lines.map(({ currency, clients, internal, sum }) => [currency, clients, internal, sum]);
  return table(['currency', 'clients', 'internal', 'sum'], rows);
}
