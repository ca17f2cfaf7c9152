import { ChainAway } from '../../parties/chain/errors';
import type { Block, ChainNode } from '../../parties/chain/port';
import { nativeSymbol } from '../gas-station/rules';
import { nodeOf } from '../networks/nodes';
import { fromUnits } from '../networks/rules';
import { readChainBooks } from './books';
import { CHAIN_PLACES, type ChainBooks, type Compared } from './record';
import { addEffects, assetsToRead, compared, placesOf, type ReadAsset, Sums } from './rules';
import type { ComparingServices } from './services';

export interface Comparison {
  chain: string;
  /** The block whose balances were read: the last that was read for deposits. */
  blockNumber: number;
  lines: Compared[];
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
  const { database, depositsBeside, now } = services;
  const { network, node } = await nodeOf(services, database, chain);
  const books = await database.transaction(async (tx) => {
    // Raw: Postgres is asked for all of it as of one moment.
    await tx.query('set transaction isolation level repeatable read, read only');
    return readChainBooks(depositsBeside, tx, network, now());
  });
  const assets = assetsToRead(network);
  const spot = books.readTo ?? (await node.head());
  const reported = await readBalances(node, books, assets, spot);
  const unbooked = await withOwnTransactions(node, books, assets, spot);
  if ((await node.block(spot.number))?.hash !== spot.hash) throw new ChainAway(chain);
  const lines = compared(assets, { reported, booked: books.booked, unbooked }, also);
  return { chain, blockNumber: spot.number, lines, isGasBooked: nativeSymbol(network) !== undefined };
}

async function readBalances(
  node: ChainNode,
  { addresses }: ChainBooks,
  assets: readonly ReadAsset[],
  { number }: Spot,
): Promise<Sums> {
  const sums = new Sums();
  for (const place of CHAIN_PLACES)
    for (const { symbol, contract, decimals } of assets) {
      if (addresses[place].length === 0) continue;
      const units = await node.balances(addresses[place], contract, number);
      const total = units.reduce((sum, each) => sum + each, 0n);
      sums.add(place, symbol, fromUnits(total, decimals));
    }
  return sums;
}

/** What is known beside the books, with what transactions of ours have done by that block. */
async function withOwnTransactions(
  node: ChainNode,
  { unbooked, transactions, addresses }: ChainBooks,
  assets: readonly ReadAsset[],
  { number: upTo }: Spot,
): Promise<Sums> {
  const sums = new Sums(unbooked);
  const placeOf = placesOf(addresses);
  for (const { hash, isBooked } of transactions)
    addEffects(sums, await node.transaction(hash), { isBooked, upTo, assets, placeOf });
  return sums;
}
