import type { Database, Tx } from './database';

/** Rows of one transaction: a backlog of any size is worked off, because no statement comes near its time-out. */
const PORTION = 1_000;
/** The rest is left to the next run: an activity that takes longer would be begun a second time beside itself. */
const MAX_MS = 10 * 60_000;

/**
 * Does the work in portions, a transaction each, until one is less than whole. A finished portion stays done when a later one fails.
 * @param work handles at most `limit` rows. @returns how many
 * @returns how many rows in all
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
