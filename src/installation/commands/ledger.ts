import { type Command } from 'commander';
import { show, table } from '../../desk/cli/console';
import type { Database } from '../../kernel/db/database';
import {
  CHECK_SECONDS,
  checkLedger,
  type TrialBalanceLine,
  trialBalance,
  trialBalanceAt,
} from '../../kernel/ledger/check';
import { checkRunningSums } from '../../transfers/check';
import type { CommandContext } from './context';
import { timeArgument } from './time-argument';

export function addLedgerCommands(program: Command, { console, run }: CommandContext): void {
  const group = program.command('ledger').description('the double-entry ledger');
  group
    .command('check')
    .description(
      'proves every posting, balance and total; exit code 1 and the problems when something is wrong',
    )
    .option('--json', 'print { "trialBalance", "problems" }')
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database }) => {
        const problems = await proved(database);
        const lines = await trialBalance(database);
        const told = problems.map(({ problem, subject, detail }) => `  ${problem}: ${subject} (${detail})`);
        const verdict =
          problems.length === 0
            ? 'The ledger is right: every posting sums to zero and every balance equals its entries.'
            : `${problems.length} problem${problems.length === 1 ? '' : 's'}:\n${told.join('\n')}`;
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
        const lines = at ? await trialBalanceAt(database, at) : await trialBalance(database);
        show(console, json, lines, balanceTable(lines));
      }),
    );
}

/** Proves the ledger and the stored sums, each in one snapshot. */
const proved = async (database: Database) => [
  ...(await checkLedger(database)),
  ...(await database.transaction(checkRunningSums, { statementSeconds: CHECK_SECONDS })),
];

function balanceTable(lines: TrialBalanceLine[]): string {
  const rows = lines.map(({ currency, clients, internal, sum }) => [currency, clients, internal, sum]);
  return table(['currency', 'clients', 'internal', 'sum'], rows);
}
