import { countOpenOf } from '../../chain/gas-station/operations/read';
import { beginReading, readPositionOf } from '../../chain/holdings/read-position';
import type { Following } from '../../chain/networks/following';
import { countAllocatedFor, hasWallets } from '../../chain/wallets/operations';
import type { Sql } from '../../kernel/db/database';
import { internalBalance } from '../../kernel/ledger/accounts';
import { countConfirming } from '../engine/tables/on-chain';

/** Stores the head when a network is enabled, so that payments before the watcher's first look are found. */
export const following: Following = {
  begin: beginReading,
  isUsed: async (sql, chain) =>
    (await hasWallets(sql, chain)) || (await readPositionOf(sql, chain)) !== undefined,
  heldBy,
};

async function heldBy(sql: Sql, chain: string, symbol: string): Promise<string[]> {
  const [pool, station] = [
    await internalBalance(sql, `pool@${chain}`, symbol),
    await internalBalance(sql, `station@${chain}`, symbol),
  ];
  const counts = {
    'wallets allocated for it': await countAllocatedFor(sql, chain, symbol),
    'deposits confirming': await countConfirming(sql, chain, symbol),
    'operations open': await countOpenOf(sql, chain, symbol),
  };
  return [
    // Money that we have elsewhere is negative on its ledger account.
    ...(pool.isZero() ? [] : [`wallets hold ${pool.negated().toFixed()} ${symbol}`]),
    ...(station.isZero() ? [] : [`the station holds ${station.negated().toFixed()} ${symbol}`]),
    ...Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : [`${what}: ${count}`])),
  ];
}
