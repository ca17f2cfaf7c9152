import type { Database, Sql, Tx } from '../db/database';
import { LATEST_LOOK_MS, lookoutOf, type Sign } from '../db/lookout';
import { type Coin, coinRefusal, isBuiltIn, learnCoin } from '../money/currencies';

/** Native coins of networks as currencies of the ledger. Postgres has them, and each process keeps them in memory. */

/** Within this time each process of the installation knows a new coin. */
export const COINS_KNOWN_WITHIN_MS = LATEST_LOOK_MS + 500;

/** Coins are only ever added, so their number shows a new one. */
const COUNT: Sign = { name: 'coins', sql: 'select count(*) from coins' };

/** Reads all coins. @returns their number */
export async function readCoins(sql: Sql): Promise<number> {
  const coins = await sql.query<Coin>('select symbol, decimals from coins');
  for (const coin of coins) learnCoin(coin);
  return coins.length;
}

/**
 * Adds a coin, unless the ledger has it. The process knows it after the commit, and the others soon after.
 * @throws RangeError when the ledger cannot have it, or has it with other decimals
 */
export async function ensureCoin(tx: Tx, coin: Coin, at: Date): Promise<void> {
  assertPossible(coin);
  if (isBuiltIn(coin.symbol)) return;
  await tx.query(
    'insert into coins (symbol, decimals, created_at) values ($1, $2, $3) on conflict (symbol) do nothing',
    [coin.symbol, coin.decimals, at],
  );
  // Another process may have added it with other decimals, which this one does not know yet.
  const [stored] = await tx.query<Coin>('select symbol, decimals from coins where symbol = $1', [
    coin.symbol,
  ]);
  if (stored?.decimals !== coin.decimals)
    throw new RangeError(`the ledger has ${coin.symbol} with other decimals`);
  tx.afterCommit(() => learnCoin(coin));
}

function assertPossible(coin: Coin): void {
  const refusal = coinRefusal(coin);
  if (refusal) throw new RangeError(`${coin.symbol}: ${refusal.in} ${refusal.why}`);
}

/**
 * Reads the coins when there are more of them, until it is stopped. A failed reading keeps the known ones.
 * @param known number of the coins that the process has read
 */
export function keepCoins(database: Database, known: number): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = (async () => {
    let count = known;
    while (!signal.aborted) {
      await lookoutOf(database).until(COUNT, String(count), { signal });
      if (signal.aborted) return;
      count = await readCoins(database).catch(() => count);
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
