import { ownAmong } from '../../chain/wallets/operations';
import type { Sql } from '../../kernel/db/database';
import type { ChainTransfer } from '../../parties/chain/port';

/**
 * Of transfers to the pool those that others have sent. What comes from a station or a wallet of ours is no deposit, but gas that a
 * top-up brings: the operation books it.
 */
export async function sentByOthers(
  sql: Sql,
  chain: string,
  transfers: readonly ChainTransfer[],
): Promise<ChainTransfer[]> {
  if (transfers.length === 0) return [];
  const own = await ownAmong(sql, chain, [...new Set(transfers.map(({ from }) => from))]);
  return transfers.filter(({ from }) => !own.has(from));
}
