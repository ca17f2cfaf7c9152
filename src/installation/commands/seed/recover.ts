import { type Command, InvalidArgumentError } from 'commander';
import { pino } from 'pino';
import { type Restored, restoreWallets } from '../../../chain/wallets/seed/recover-wallets';
import { type FoundBalance, type Scan, scanSeed } from '../../../chain/wallets/seed/scan';
import { skipRecovered } from '../../../chain/wallets/seed/seed';
import { show, table } from '../../../desk/cli/console';
import { INSTALLATION } from '../../../desk/operators/operations';
import { conflict, invalid } from '../../../kernel/errors';
import { NO_OBSERVERS } from '../../../kernel/metrics/observers';
import { Decimal } from '../../../kernel/money/money';
import { createChains } from '../../../parties/chain/create';
import type { InstallationSession } from '../../session';
import type { CommandContext } from '../context';

interface Options {
  gap: number;
  to?: number;
  chain?: string;
  derive?: boolean;
  json?: boolean;
}

/** Nobody has paid many addresses of a pool, so a short gap would end the search too early. */
const GAP = 1_000;
const HIGHEST = 10_000_000;

export function addRecoverCommand(group: Command, { console, run }: CommandContext): void {
  group
    .command('recover')
    .description(
      "finds the money on the seed's addresses by asking the nodes of the enabled networks; writes nothing without --derive",
    )
    .option('--gap <count>', 'ends after so many indexes in a row without money or a transaction', count, GAP)
    .option('--to <index>', 'asks for every index up to this one instead', count)
    .option('--chain <name>', 'asks one network only')
    .option('--derive', 'gives each network the wallets up to the highest used index, or up to --to')
    .option(
      '--json',
      'print { "chains", "indexes", "usedTo", "found", "unreadable", "nextIndex", "derived", "notMade" }',
    )
    .action(({ gap, to, chain, derive = false, json }: Options) =>
      run(async (session) => {
        if (derive && chain !== undefined && to === undefined)
          throw invalid(
            '--derive with --chain needs --to: an index that another network has used would be given again.',
            'to',
          );
        const { database, keyring } = session;
        const log = pino({ level: 'silent' });
        const chains = createChains({ log, observers: NO_OBSERVERS, now: () => new Date() });
        const scan = await scanSeed({ database, keyring, parties: { chain: chains } }, { gap, to, chain });
        const found = scan.found.map((each) => ({ ...each, balance: each.balance.toFixed() }));
        const done = derive ? await deriveFound(session, scan, to) : undefined;
        const nextIndex = done?.nextIndex ?? scan.indexes;
        const said = { ...scan, found, nextIndex, derived: done?.made, notMade: done?.notMade };
        show(console, json, said, textOf(scan, nextIndex, done));
      }),
    );
}

/**
 * Skips the indexes that were asked for, so that no address is given twice, and then makes the wallets. A run that was broken off is
 * run again.
 */
async function deriveFound(
  session: InstallationSession,
  { chains, usedTo, indexes, unreadable }: Scan,
  to: number | undefined,
): Promise<Restored & { nextIndex: number }> {
  if (to === undefined && unreadable.length > 0)
    throw conflict(
      'invalid_transition',
      `${unreadable.join(', ')}: the contract does not answer, so money may lie on further addresses. Give --to.`,
    );
  const by = session.knownActor ?? INSTALLATION;
  const last = to ?? usedTo;
  const nextIndex = await session.change(
    by,
    (tx) => skipRecovered(tx, 'evm', indexes),
    (next) => ({
      action: 'wallet.seed.recover',
      subject: 'evm',
      after: { chains, to: last, nextIndex: next },
    }),
  );
  if (last === null) return { made: 0, notMade: [], nextIndex };
  return { ...(await restoreWallets(session, { chains, to: last })), nextIndex };
}

function count(given: string): number {
  const value = /^\d{1,8}$/.test(given) ? Number(given) : Number.NaN;
  if (!(value >= 0 && value <= HIGHEST))
    throw new InvalidArgumentError(`A whole number, ${HIGHEST} at most.`);
  return value;
}

const COLUMNS = ['index', 'address', 'chain', 'asset', 'balance', 'wallet'];

function textOf(
  { chains, indexes, found, unreadable }: Scan,
  nextIndex: number,
  done: Restored | undefined,
): string {
  const rows = found.map(({ index, address, chain, asset, balance, isKnown }) => [
    ...[index, address, chain, asset, balance.toFixed()],
    isKnown ? 'known' : 'unknown',
  ]);
  const lines = [table(COLUMNS, rows), `${indexes} indexes were asked for on ${chains.join(', ')}.`];
  for (const [name, sum] of sumsOf(found)) lines.push(`${name}: ${sum.toFixed()} in all`);
  for (const name of unreadable)
    lines.push(`${name}: its contract does not answer, so its balances are unknown.`);
  for (const [chain, places] of Map.groupBy(done?.notMade ?? [], (each) => each.chain))
    lines.push(
      `No wallet was made on ${chain} for ${places.map(({ index }) => index).join(', ')}: the address has another use there, or another system holds the key.`,
    );
  if (done)
    lines.push(
      `${done.made} wallets were made, and the next wallet has index ${nextIndex} at least. Nothing was booked.`,
      'Next: operator -- stray claim for each payment, as docs/key-ceremony.md tells in "After a recovery".',
    );
  else if (found.some(({ isKnown }) => !isKnown))
    lines.push(
      'Nothing was booked. The installation neither watches nor sweeps an address that is "unknown".',
      `Next: operator -- wallet-seed skip-to --index ${nextIndex}, so that no address is given twice; then docs/key-ceremony.md, "After a recovery". --derive does it, and makes the wallets.`,
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
