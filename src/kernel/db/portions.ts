import type { Database, Tx } from './database';

/** Rows per transaction. Bounded, so that no statement reaches its time-out however large the backlog is. */
const PORTION = 1_000;
/**
 * Longest run. The next run takes the rest, because Temporal would start an activity that takes longer a second time
 * beside it.
 */
const MAX_MS = 10 * 60_000;

/**
 * Works in portions, one transaction each, until a portion is not full. Finished portions stay committed when a later
 * one fails.
 * @param work handles at most `limit` rows and returns how many it handled
 * @returns number of rows in all
 */
export async function inPortions(
  database: Database,
  work: (tx: Tx, limit: number) => Promise<number>,
  { limit = PORTION, now = () => performance.now() }: { limit?: number; now?: () => number } = {},
): Promise<number> {
  const end = now() + MAX_MS;
  for (let total = 0; ; ) {
    const done = await database.transaction((tx) => work(tx, limit));
    total += done;
    if (done < limit || now() >= end) return total;
  }
}

/**
 * Condition of a portion's statement: the oldest rows that were created longer ago than this by the product's clock, at
 * most `$1`. Raw SQL for the limit, which an index by creation serves.
 * @param age an interval of Postgres, such as `7 days`
 */
export const oldestRows = (table: string, age: string): string =>
  `id = any(array(
     select id from ${table} where created_at < product_now() - interval '${age}' order by created_at limit $1))`;
