import { type Command, InvalidArgumentError } from 'commander';
import { pino } from 'pino';
import { type FoundBalance, type Scan, scanSeed } from '../../../chain/wallets/seed/scan';
import { show, table } from '../../../desk/cli/console';
import { NO_OBSERVERS } from '../../../kernel/metrics/observers';
import { Decimal } from '../../../kernel/money/money';
import { createChains } from '../../../parties/chain/create';
import type { CommandContext } from '../context';

interface Options {
  gap: number;
  to?: number;
  chain?: string;
  json?: boolean;
}

/** Most addresses of a pool are empty after a sweep, so a short gap would end the search too early. */
const GAP = 1_000;
const HIGHEST = 10_000_000;

export function addRecoverCommand(group: Command, { console, run }: CommandContext): void {
  group
    .command('recover')
    .description(
      "finds the money on the seed's addresses by asking the nodes of the enabled networks; writes nothing",
    )
    .option('--gap <count>', 'ends after so many indexes in a row without money', count, GAP)
    .option('--to <index>', 'asks for every index up to this one instead', count)
    .option('--chain <name>', 'asks one network only')
    .option('--json', 'print { "chains", "indexes", "found", "unreadable", "nextIndex" }')
    .action(({ gap, to, chain, json }: Options) =>
      run(async ({ database, keyring }) => {
        const log = pino({ level: 'silent' });
        const chains = createChains({ log, observers: NO_OBSERVERS, now: () => new Date() });
        const scan = await scanSeed({ database, keyring, parties: { chain: chains } }, { gap, to, chain });
        const found = scan.found.map((each) => ({ ...each, balance: each.balance.toFixed() }));
        const nextIndex = scan.indexes;
        show(console, json, { ...scan, found, nextIndex }, textOf(scan, nextIndex));
      }),
    );
}

function count(given: string): number {
  const value = /^\d{1,8}$/.test(given) ? Number(given) : Number.NaN;
  if (!(value >= 0 && value <= HIGHEST))
    throw new InvalidArgumentError(`A whole number, ${HIGHEST} at most.`);
  return value;
}

const COLUMNS = ['index', 'address', 'chain', 'asset', 'balance', 'wallet'];

function textOf({ chains, indexes, found, unreadable }: Scan, nextIndex: number): string {
  const rows = found.map(({ index, address, chain, asset, balance, isKnown }) => [
    ...[index, address, chain, asset, balance.toFixed()],
    isKnown ? 'known' : 'unknown',
  ]);
  const lines = [table(COLUMNS, rows), `${indexes} indexes were asked for on ${chains.join(', ')}.`];
  for (const [name, sum] of sumsOf(found)) lines.push(`${name}: ${sum.toFixed()} in all`);
  for (const name of unreadable)
    lines.push(`${name}: its contract does not answer, so its balances are unknown.`);
  if (found.some(({ isKnown }) => !isKnown))
    lines.push(
      'Nothing was booked. The installation neither watches nor sweeps an address that is "unknown".',
      `Next: operator -- wallet-seed skip-to --index ${nextIndex}, so that no address is given twice; then docs/key-ceremony.md, "After a recovery".`,
    );
  return lines.join('\n');
}

function sumsOf(found: readonly FoundBalance[]): Map<string, Decimal> {
  const sums = new Map<string, Decimal>();
  for (const { chain, asset, balance } of found) {
    const name = `${chain}:${asset}`;
    sums.set(name, (sums.get(name) ?? new Decimal(0)).plus(balance));
  }
  return sums;
}
