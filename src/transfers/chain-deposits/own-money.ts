import { findGasConfig } from '../../chain/gas-station/config/operations';
import { ownAmong } from '../../chain/wallets/operations';
import type { Sql } from '../../kernel/db/database';
import type { ChainTransfer } from '../../parties/chain/port';

/**
 * Of transfers to the pool those that others have sent. What comes from the station or a wallet of ours is no deposit, but gas that a
 * top-up brings: the operation books it.
 */
export async function sentByOthers(
  sql: Sql,
  chain: string,
  transfers: readonly ChainTransfer[],
): Promise<ChainTransfer[]> {
  if (transfers.length === 0) return [];
  const senders = new Set(transfers.map(({ from }) => from));
  const own = new Set<string | null>(await ownAmong(sql, chain, [...senders]));
  own.add((await findGasConfig(sql, chain))?.stationAddress ?? null);
  return transfers.filter(({ from }) => !own.has(from));
}
