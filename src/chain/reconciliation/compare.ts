import type { Database } from '../../kernel/db/database';
import { ChainAway } from '../../parties/chain/errors';
import type { Block, ChainNode } from '../../parties/chain/port';
import type { Services } from '../../services';
import { nativeSymbol } from '../gas-station/rules';
import { placeOf } from '../holdings/places';
import { CHAIN_PLACES } from '../holdings/record';
import { type AskingChains, nodeOf } from '../networks/nodes';
import type { Network } from '../networks/record';
import { fromUnits } from '../networks/rules';
import { whereTokenStands } from '../networks/tokens';
import { readChainBooks } from './books';
import type { ChainBooks, Compared } from './record';
import { addEffects, assetsToRead, compared, placesOf, type ReadAsset, Sums } from './rules';

/** What it takes to compare a chain with our books. */
export type ComparingServices = AskingChains & Pick<Services, 'database' | 'now'>;

export interface Comparison {
  chain: string;
  /** The block whose balances were read: the last that was read for deposits. */
  blockNumber: number;
  /** Of what could be read. */
  lines: Compared[];
  /** On each address of the pool, in units of the chain, by contract; null: the native coin. */
  pool: ReadonlyMap<string | null, ReadonlyMap<string, bigint>>;
  /** Tokens whose contracts do not answer, by symbol: nothing is said of them. */
  unreadable: string[];
  /** False: the ledger has no currency for the native coin, so what gas has cost stands with its operations alone. */
  isGasBooked: boolean;
}

type Spot = Pick<Block, 'number' | 'hash'>;

/**
 * What stands on the addresses of a chain that are ours, beside our books. It writes nothing.
 * @param also places and assets ({@link sumKey}) that are wanted though nothing is there
 * @throws ChainAway no node answers, or knows that block any more, or the chain is reorganised meanwhile; Problem 404
 */
export async function compareChain(
  services: ComparingServices,
  chain: string,
  also?: ReadonlySet<string>,
): Promise<Comparison> {
  const { network, node } = await nodeOf(services, services.database, chain);
  const spot = (await placeOf(services.database, chain)) ?? (await node.head());
  const books = await readBooks(services.database, network, spot);
  const assets = assetsToRead(network);
  const { sums: reported, unreadable, pool } = await readBalances(node, books, assets, spot);
  const unbooked = await withWhatIsUnderWay({ node, books, assets, spot });
  if ((await node.block(spot.number))?.hash !== spot.hash) throw new ChainAway(chain);
  const readable = assets.filter(({ symbol }) => !unreadable.has(symbol));
  const lines = compared(readable, { reported, booked: books.booked, unbooked }, also);
  const isGasBooked = nativeSymbol(network) !== undefined;
  return { chain, blockNumber: spot.number, lines, pool, unreadable: [...unreadable], isGasBooked };
}

/** Of one moment, because what is booked meanwhile would be counted once too often. */
const readBooks = (database: Database, network: Network, { number }: Spot): Promise<ChainBooks> =>
  database.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    return readChainBooks(tx, network, number);
  });

/** A token that does not answer keeps the others from nothing. */
async function readBalances(
  node: ChainNode,
  { addresses }: ChainBooks,
  assets: readonly ReadAsset[],
  { number }: Spot,
): Promise<{ sums: Sums; unreadable: ReadonlySet<string>; pool: Comparison['pool'] }> {
  const sums = new Sums();
  const unreadable = new Set<string>();
  const pool = new Map<string | null, ReadonlyMap<string, bigint>>();
  for (const place of CHAIN_PLACES)
    for (const { symbol, contract, decimals } of assets) {
      if (addresses[place].length === 0) continue;
      const units = await whereTokenStands(node.balances(addresses[place], contract, number));
      if (!units) {
        unreadable.add(symbol);
        continue;
      }
      const ofEach = addresses[place].map((address, at): [string, bigint] => [address, units[at] ?? 0n]);
      if (place === 'pool') pool.set(contract, new Map(ofEach));
      const total = units.reduce((sum, each) => sum + each, 0n);
      sums.add(place, symbol, fromUnits(total, decimals));
    }
  return { sums, unreadable, pool };
}

interface Asked {
  node: ChainNode;
  books: ChainBooks;
  assets: readonly ReadAsset[];
  spot: Spot;
}

/** What is known beside the books, with what transactions of ours have done by that block. */
async function withWhatIsUnderWay({ node, books, assets, spot: { number: upTo } }: Asked): Promise<Sums> {
  const sums = new Sums(books.unbooked);
  const where = { assets, placeOf: placesOf(books.addresses) };
  for (const { hash, parts } of books.transactions)
    addEffects(sums, await node.transaction(hash), { parts, upTo, ...where });
  return sums;
}
