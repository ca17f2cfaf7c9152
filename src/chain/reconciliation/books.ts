import type { Sql } from '../../kernel/db/database';
import { internalBalances } from '../../kernel/ledger/accounts';
import { decimalsOf } from '../../kernel/money/currencies';
import { sweptDust } from '../gas-station/beside-books';
import { ownTransactions } from '../gas-station/own-transactions';
import { topupsBeside } from '../gas-station/station-topups/beside-books';
import type { Network } from '../networks/record';
import { fromUnits } from '../networks/rules';
import { namedAddresses, poolAddresses, stationWallets } from '../wallets/operations';
import { CHAIN_PLACES, type ChainBooks, sumKey } from './record';
import { assetsToRead, type ReadAsset, Sums } from './rules';
import type { DepositsBeside } from './services';

/**
 * What our books have on a chain, and what is known beside them.
 * @param tx sees one moment in all of its statements
 * @param since what was booked later may be in a block that is not read yet
 */
export async function readChainBooks(
  depositsBeside: DepositsBeside,
  tx: Sql,
  network: Network,
  since: Date,
): Promise<ChainBooks> {
  const { chain } = network;
  const assets = assetsToRead(network);
  const symbols = assets.map(({ symbol }) => symbol);
  const booked = new Sums();
  // What we have elsewhere is below zero on its account.
  for (const place of CHAIN_PLACES)
    for (const [symbol, balance] of await internalBalances(tx, `${place}@${chain}`, symbols))
      booked.add(place, symbol, balance.negated());
  const { readTo, pool } = await depositsBeside(tx, chain);
  const unbooked = new Sums([...pool].map(([symbol, amount]) => [sumKey('pool', symbol), amount]));
  for (const asset of assets) await addSweptDust(tx, chain, asset, unbooked);
  return {
    addresses: await addressesOf(tx, chain),
    ...{ booked, unbooked, readTo },
    transactions: await ownTransactions(tx, chain, since),
    topups: await topupsBeside(tx, chain, readTo?.number),
  };
}

/** Each address at one place: what stands there is counted once. */
async function addressesOf(tx: Sql, chain: string): Promise<ChainBooks['addresses']> {
  const used = await namedAddresses(tx, chain);
  // One that was a station and was never scanned is named by nothing but its wallet.
  const own = (await stationWallets(tx, chain)).map(({ address }) => address);
  const station = [...new Set([...used.station, ...own])];
  return { pool: await poolAddresses(tx, chain), station, treasury: used.treasury };
}

async function addSweptDust(
  tx: Sql,
  chain: string,
  { symbol, decimals }: ReadAsset,
  unbooked: Sums,
): Promise<void> {
  const finer = decimals - decimalsOf(symbol);
  if (finer <= 0) return;
  const { moved, lost } = await sweptDust(tx, { chain, asset: symbol, unit: 10n ** BigInt(finer) });
  unbooked.add('pool', symbol, fromUnits(-(moved + lost), decimals));
  unbooked.add('treasury', symbol, fromUnits(moved, decimals));
}
