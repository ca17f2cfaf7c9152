import type { Database } from '../../kernel/db/database';
import { ChainAway } from '../../parties/chain/errors';
import type { Block, ChainNode } from '../../parties/chain/port';
import type { Services } from '../../services';
import { nativeSymbol } from '../gas-station/rules';
import { readPositionOf } from '../holdings/read-position';
import { CHAIN_PLACES } from '../holdings/record';
import { undefinedIfNoToken } from '../networks/nodes/no-token';
import { type AskingChains, nodeOf } from '../networks/nodes/nodes';
import type { Network } from '../networks/record';
import { fromUnits } from '../networks/rules';
import { readChainBooks } from './books';
import type { ChainBooks, Compared } from './record';
import { addEffects, assetsToRead, compared, placesOf, type ReadAsset, Sums } from './rules';

export type ComparingServices = AskingChains & Pick<Services, 'database' | 'now'>;

export interface Comparison {
  chain: string;
  /** Block whose balances were compared: the last that was read for deposits. */
  blockNumber: number;
  /** The assets that could be read. */
  lines: Compared[];
  /** Balance of each pool address in smallest units, by contract. The key null is the native coin. */
  pool: ReadonlyMap<string | null, ReadonlyMap<string, bigint>>;
  /** Symbols of tokens whose contracts do not answer. They are not compared. */
  unreadable: string[];
  /** False when the ledger has no currency for the native coin. Only the operations then record the cost of gas. */
  isGasBooked: boolean;
}

type Spot = Pick<Block, 'number' | 'hash'>;

/**
 * Compares the balances of our addresses on a chain with our books. Read-only.
 * @param also places and assets ({@link sumKey}) to include even when all their amounts are zero
 * @throws ChainAway when no node answers or knows the block, or a reorganisation happens meanwhile; Problem 404
 */
export async function compareChain(
  services: ComparingServices,
  chain: string,
  also?: ReadonlySet<string>,
): Promise<Comparison> {
  const { network, node } = await nodeOf(services, services.database, chain);
  const spot = (await readPositionOf(services.database, chain)) ?? (await node.head());
  const books = await readBooks(services.database, network, spot);
  const assets = assetsToRead(network);
  const { sums: reported, unreadable, pool } = await readBalances(node, books, assets, spot);
  const unbooked = await withOwnTransactions({ node, books, assets, spot });
  if ((await node.block(spot.number))?.hash !== spot.hash) throw new ChainAway(chain);
  const readable = assets.filter(({ symbol }) => !unreadable.has(symbol));
  const lines = compared(readable, { reported, booked: books.booked, unbooked }, also);
  const isGasBooked = nativeSymbol(network) !== undefined;
  return { chain, blockNumber: spot.number, lines, pool, unreadable: [...unreadable], isGasBooked };
}

/** Reads one snapshot. Otherwise an amount booked between two statements would count twice. */
const readBooks = (database: Database, network: Network, { number }: Spot): Promise<ChainBooks> =>
  database.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    return readChainBooks(tx, network, number);
  });

/** Reads all balances. A token that does not answer does not stop the others. */
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
      const units = await undefinedIfNoToken(node.balances(addresses[place], contract, number));
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

/** Adds the effects of our unbooked transactions, up to the block, to the known unbooked amounts. */
async function withOwnTransactions({ node, books, assets, spot: { number: upTo } }: Asked): Promise<Sums> {
  const sums = new Sums(books.unbooked);
  const where = { assets, placeOf: placesOf(books.addresses) };
  for (const { hash, parts } of books.transactions)
    addEffects(sums, await node.transaction(hash), { parts, upTo, ...where });
  return sums;
}
