import { stationsAmong } from '../../chain/gas-station/beside-books';
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
  const own = await oursAmong(sql, chain, [...new Set(transfers.map(({ from }) => from))]);
  return transfers.filter(({ from }) => !own.has(from));
}

/** Of addresses those that are a wallet or a station of ours. */
export async function oursAmong(
  sql: Sql,
  chain: string,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const own = new Set(await ownAmong(sql, chain, addresses));
  // A station whose key is elsewhere pays what it was ordered to pay though another one has taken its place.
  for (const station of await stationsAmong(sql, chain, addresses)) own.add(station);
  return own;
}
