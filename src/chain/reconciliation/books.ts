import type { Sql } from '../../kernel/db/database';
import { internalBalances } from '../../kernel/ledger/accounts';
import type { Decimal } from '../../kernel/money/money';
import { ownTransactions } from '../gas-station/own-transactions';
import { unbookedAt } from '../holdings/operations';
import { CHAIN_PLACES, type ChainPlace } from '../holdings/record';
import { unlistedSums } from '../holdings/unlisted';
import { listNetworks } from '../networks/operations';
import type { Network } from '../networks/record';
import { fromUnits } from '../networks/rules';
import { namedAddresses, poolAddresses, stationWallets } from '../wallets/operations';
import type { ChainBooks } from './record';
import { assetsToRead, Sums } from './rules';

/**
 * Reads what our books hold on a chain, and the known amounts that are not booked.
 * @param tx must see one snapshot in all its statements
 * @param upTo block of the comparison
 */
export async function readChainBooks(tx: Sql, network: Network, upTo: number): Promise<ChainBooks> {
  const { chain } = network;
  const symbols = assetsToRead(network).map(({ symbol }) => symbol);
  const booked = new Sums();
  // Money that we have elsewhere is negative on its ledger account.
  for (const place of CHAIN_PLACES)
    for (const [symbol, balance] of await internalBalances(tx, `${place}@${chain}`, symbols))
      booked.add(place, symbol, balance.negated());
  const unbooked = new Sums(await unbookedAt(tx, chain, upTo));
  await addUnlisted(tx, network, upTo, unbooked);
  return {
    addresses: await addressesOf(tx, chain),
    booked,
    unbooked,
    transactions: await ownTransactions(tx, chain),
  };
}

/** Adds the transfers of tokens from before their listing. */
async function addUnlisted(tx: Sql, network: Network, upTo: number, unbooked: Sums): Promise<void> {
  const assets = assetsToRead(network);
  const tokens = assets.flatMap(({ contract }) => contract ?? []);
  for (const { token, place, units } of await unlistedSums(tx, network.chain, tokens, upTo)) {
    const asset = assets.find(({ contract }) => contract === token);
    if (asset) unbooked.add(place, asset.symbol, fromUnits(BigInt(units), asset.decimals));
  }
}

/** Assigns each address to one place, so that its balance counts once. */
async function addressesOf(tx: Sql, chain: string): Promise<ChainBooks['addresses']> {
  const named = await namedAddresses(tx, chain);
  // A station wallet that never was the station has no row among the named addresses.
  const own = (await stationWallets(tx, chain)).map(({ address }) => address);
  const station = [...new Set([...named.station, ...own])];
  return { pool: await poolAddresses(tx, chain), station, treasury: named.treasury };
}

/** Money of ours on the chains of all networks by the books. Reads one ledger account for each place and asset. */
export async function restingOnChains(
  sql: Sql,
): Promise<{ chain: string; place: ChainPlace; asset: string; amount: Decimal }[]> {
  const found: Awaited<ReturnType<typeof restingOnChains>> = [];
  for (const network of await listNetworks(sql)) {
    const { chain } = network;
    const symbols = assetsToRead(network).map(({ symbol }) => symbol);
    for (const place of CHAIN_PLACES)
      for (const [asset, balance] of await internalBalances(sql, `${place}@${chain}`, symbols))
        found.push({ chain, place, asset, amount: balance.negated() });
  }
  return found;
}
