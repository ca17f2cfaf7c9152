import type { Sql, Tx } from '../../kernel/db/database';
import {
  closeBreaksOf,
  closeBreaksUnder,
  openBreakAgain,
  openBreaksOf,
  syncBreaks,
} from '../../process/breaks/operations';
import { type Holdings, keepDust } from '../gas-station/candidates/dust';
import { rebookFees } from '../gas-station/operations/lifecycle/rebook';
import { closeReturned } from '../gas-station/operations/nonces/vanished';
import { nativeSymbol } from '../gas-station/rules';
import { keptBlocks } from '../holdings/read-position';
import { CHAIN_PLACES, sumKey } from '../holdings/record';
import { nodeOf } from '../networks/nodes/nodes';
import { enabledNetworks, listNetworks, requireNetwork } from '../networks/operations';
import type { Network } from '../networks/record';
import { showForged } from '../wallets/attestation';
import { forgedWallets } from '../wallets/operations';
import { type ComparingServices, type Comparison, compareChain } from './compare';
import type { ChainReading, Compared } from './record';
import { assetsToRead, hasLasted } from './rules';
import { beginComparison, deleteReadings, endComparison, insertReadings, lastOf, type Series } from './store';

/** Break: a lasting difference between a chain and our books. */
const DIFFERENCE = 'chain_difference';

/** Break: the contract of a listed token does not answer, so our balance is unknown. */
const UNREADABLE = 'token_unreadable';

/** Break: a chain was not compared for 15 minutes, which is three runs of the schedule. Milliseconds. */
const NOT_COMPARED = 'chain_not_compared';
const PATIENCE_MS = 15 * 60_000;

/** Retention of readings: ninety days. Each place and asset adds 288 a day. Milliseconds. */
const KEPT_MS = 90 * 24 * 60 * 60_000;

export const chainsToCompare = async (sql: Sql): Promise<string[]> =>
  (await enabledNetworks(sql)).map(({ chain }) => chain);

/** Lists the chains to read. Closes the breaks of chains that are no longer compared. */
export async function chainsToRead({
  database,
  now,
}: Pick<ComparingServices, 'database' | 'now'>): Promise<string[]> {
  const networks = await listNetworks(database);
  for (const network of networks.filter(({ enabled }) => !enabled))
    await database.transaction(async (tx) => {
      await endComparison(tx, network.chain);
      await closeNotCompared(tx, network.chain, now());
      await closeReadable(tx, network.chain, [], now());
    });
  return networks.filter(({ enabled }) => enabled).map(({ chain }) => chain);
}

/**
 * Compares a chain with our books, and stores the reading and the dust on wallets. Opens a break for a lasting
 * difference, and closes the break of a vanished transaction that a block has again. Moves no money, but books other
 * fees of gas after a deep reorganisation. A repeated call stores a second reading.
 * @throws ChainAway when nothing was read
 */
export async function keepChainReading(services: ComparingServices, chain: string): Promise<void> {
  const { database, now } = services;
  await requireNetwork(database, chain);
  await showNotCompared(services, chain);
  const { network, node } = await nodeOf(services, database, chain);
  const series = seriesOf(network);
  const before = await lastOf(database, series);
  const differed = before.filter(({ differsSince }) => differsSince !== null);
  const also = new Set(differed.map(({ place, asset }) => sumKey(place, asset)));
  const comparison = await compareChain(services, chain, also);
  const forged = await forgedWallets(database, services.keyring, network);
  const at = now();
  await database.transaction(async (tx) => {
    await keep(tx, comparison, at);
    await showUnreadable(tx, comparison, at);
    for (const wallet of forged) await showForged(tx, wallet);
    await endComparison(tx, chain);
    await closeNotCompared(tx, chain, at);
  });
  await deleteReadings(database, series, new Date(at.getTime() - KEPT_MS));
  await keepDust(database, network, holdingsOf(comparison), at);
  await closeReturned(services, node, chain);
  if (comparison.lines.some((line) => isOfGas(network, line)))
    await rebookFees(services, { network, node }, await firstKeptBlock(database, chain));
}

/** Whether the native coin differs, because a reorganisation may have changed what a booked transaction has cost. */
const isOfGas = (network: Network, { asset, difference }: Compared): boolean =>
  asset === nativeSymbol(network) && !difference.isZero();

/** The oldest block whose hash is kept. No reorganisation is expected below it. */
const firstKeptBlock = async (sql: Sql, chain: string): Promise<number> =>
  (await keptBlocks(sql, chain)).at(-1)?.number ?? 0;

/** Pool balances of the comparison, as {@link Holdings}. */
const holdingsOf =
  ({ pool }: Comparison): Holdings =>
  (wallets, token) => {
    const units = pool.get(token);
    return units && wallets.map(({ address }) => units.get(address) ?? 0n);
  };

const closeNotCompared = (tx: Tx, chain: string, at: Date): Promise<void> =>
  closeBreaksOf(tx, { subject: `chain:${chain}`, kinds: [NOT_COMPARED], at });

/** Noted before anything is read, so that the next run sees a reading that failed, hung or was interrupted. */
async function showNotCompared({ database, now }: ComparingServices, chain: string): Promise<void> {
  const at = now();
  const since = await beginComparison(database, chain, at);
  if (at.getTime() - since.getTime() < PATIENCE_MS) return;
  await openBreakAgain(database, {
    tenantId: null,
    kind: NOT_COMPARED,
    subject: `chain:${chain}`,
    detail: 'books',
  });
}

const tokenSubject = (chain: string, symbol: string): string => `chain:${chain}:${symbol}`;

async function showUnreadable(tx: Tx, { chain, unreadable }: Comparison, at: Date): Promise<void> {
  for (const symbol of unreadable) {
    const subject = tokenSubject(chain, symbol);
    await openBreakAgain(tx, { tenantId: null, kind: UNREADABLE, subject, detail: 'balances' });
  }
  await closeReadable(tx, chain, unreadable, at);
}

/** Closes the break of every token except the unreadable ones. Includes tokens that the network no longer names. */
const closeReadable = (tx: Tx, chain: string, unreadable: readonly string[], at: Date): Promise<void> =>
  closeBreaksUnder(tx, {
    kind: UNREADABLE,
    under: tokenSubject(chain, ''),
    at,
    except: unreadable.map((symbol) => tokenSubject(chain, symbol)),
  });

/** The places and assets that are read of a network. */
const seriesOf = (network: Network): Series[] =>
  CHAIN_PLACES.flatMap((place) =>
    assetsToRead(network).map(({ symbol: asset }) => ({ chain: network.chain, place, asset })),
  );

/** The last reading of each place and asset of all enabled chains. */
export const lastReadings = async (sql: Sql): Promise<ChainReading[]> =>
  lastOf(sql, (await enabledNetworks(sql)).flatMap(seriesOf));

async function keep(tx: Tx, { chain, blockNumber, lines }: Comparison, readAt: Date): Promise<void> {
  const before = await lastOf(
    tx,
    lines.map(({ place, asset }) => ({ chain, place, asset })),
  );
  const since = new Map(before.map(({ place, asset, differsSince }) => [sumKey(place, asset), differsSince]));
  const found = lines.map(({ difference, ...line }) => {
    const differed = since.get(sumKey(line.place, line.asset)) ?? readAt;
    const differsSince = difference.isZero() ? null : differed;
    return { reading: { ...line, chain, blockNumber, readAt, differsSince }, difference };
  });
  await insertReadings(
    tx,
    found.map(({ reading }) => reading),
  );
  for (const { reading, difference } of found) {
    const subject = subjectOf(reading);
    const { asset: currency, differsSince } = reading;
    const detail = `since ${differsSince?.toISOString()}`;
    const wanted = hasLasted(reading) ? [{ kind: DIFFERENCE, detail, amount: difference, currency }] : [];
    const open = await openBreaksOf(tx, subject);
    await syncBreaks(tx, { tenantId: null, subject, open, wanted, notices: [], at: readAt });
  }
}

/** Ledger account: `pool@local:USDT`. */
const subjectOf = ({ place, chain, asset }: Pick<ChainReading, 'place' | 'chain' | 'asset'>): string =>
  `${place}@${chain}:${asset}`;
