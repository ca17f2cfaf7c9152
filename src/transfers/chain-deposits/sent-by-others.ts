import { ownAmong } from '../../chain/wallets/operations';
import type { Sql } from '../../kernel/db/database';
import type { ChainTransfer } from '../../parties/chain/port';

/**
 * Keeps transfers that others have sent. A transfer from our station or wallet is gas of a top-up, which its operation
 * books.
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
