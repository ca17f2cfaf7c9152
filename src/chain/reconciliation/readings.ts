import type { Sql, Tx } from '../../kernel/db/database';
import {
  closeBreaksOf,
  closeBreaksUnder,
  openBreakAgain,
  openBreaksOf,
  syncBreaks,
} from '../../process/breaks/operations';
import { type Holdings, keepDust } from '../gas-station/candidates/dust';
import { closeReturned } from '../gas-station/operations/nonces/vanished';
import { CHAIN_PLACES, sumKey } from '../holdings/record';
import { nodeOf } from '../networks/nodes';
import { enabledNetworks, listNetworks, requireNetwork } from '../networks/operations';
import type { Network } from '../networks/record';
import { type ComparingServices, type Comparison, compareChain } from './compare';
import type { ChainReading } from './record';
import { assetsToRead, hasLasted } from './rules';
import { beginComparison, deleteReadings, endComparison, insertReadings, lastOf, type Series } from './store';

/** A difference between a chain and our books that has lasted. */
const DIFFERENCE = 'chain_difference';

/** A token of ours whose contract does not answer: nobody knows what we have of it. */
const UNREADABLE = 'token_unreadable';

/** Nothing of a chain was compared for so long, whatever the reason; milliseconds, of which the schedule has three runs. */
const NOT_COMPARED = 'chain_not_compared';
const PATIENCE_MS = 15 * 60_000;

/** Older readings are of no use to anybody: 288 come a day, place and asset. */
const KEPT_MS = 90 * 24 * 60 * 60_000;

/** The chains that are compared. */
export const chainsToCompare = async (sql: Sql): Promise<string[]> =>
  (await enabledNetworks(sql)).map(({ chain }) => chain);

/** The chains whose readings are kept. Breaks of chains that are compared no more are closed. */
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
 * Keeps what stands on a chain beside our books, and what is left on wallets; a difference that lasts is shown, and what had vanished
 * and is there again no longer. Nothing is moved by it. Done twice, it is two readings of the same.
 * @throws ChainAway nothing was read
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
  const at = now();
  await database.transaction(async (tx) => {
    await keep(tx, comparison, at);
    await showUnreadable(tx, comparison, at);
    await endComparison(tx, chain);
    await closeNotCompared(tx, chain, at);
  });
  await deleteReadings(database, series, new Date(at.getTime() - KEPT_MS));
  await keepDust(database, network, holdingsOf(comparison), at);
  await closeReturned(services, node, chain);
}

/** What stands on wallets of the pool, as the chain was compared. */
const holdingsOf =
  ({ pool }: Comparison): Holdings =>
  (wallets, token) => {
    const units = pool.get(token);
    return units && wallets.map(({ address }) => units.get(address) ?? 0n);
  };

const closeNotCompared = (tx: Tx, chain: string, at: Date): Promise<void> =>
  closeBreaksOf(tx, { subject: `chain:${chain}`, kinds: [NOT_COMPARED], at });

/** Noted before anything of it is read or opened: what fails, hangs, or is broken off, is seen by the next. */
async function showNotCompared({ database, now }: ComparingServices, chain: string): Promise<void> {
  const at = now();
  const since = await beginComparison(database, chain, at);
  if (at.getTime() - since.getTime() < PATIENCE_MS) return;
  await openBreakAgain(database, {
    ...{ tenantId: null, kind: NOT_COMPARED, subject: `chain:${chain}`, detail: 'books' },
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

/** Of all but those it has passed: of what the network does not name any more, too. */
const closeReadable = (tx: Tx, chain: string, unreadable: readonly string[], at: Date): Promise<void> =>
  closeBreaksUnder(tx, {
    ...{ kind: UNREADABLE, under: tokenSubject(chain, ''), at },
    except: unreadable.map((symbol) => tokenSubject(chain, symbol)),
  });

/** Of a chain that is compared, what its readings are of. */
const seriesOf = (network: Network): Series[] =>
  CHAIN_PLACES.flatMap((place) =>
    assetsToRead(network).map(({ symbol: asset }) => ({ chain: network.chain, place, asset })),
  );

/** The last reading of each place and asset of all chains that are compared. */
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

/** The account of the ledger: `pool@local:USDT`. */
const subjectOf = ({ place, chain, asset }: Pick<ChainReading, 'place' | 'chain' | 'asset'>): string =>
  `${place}@${chain}:${asset}`;
