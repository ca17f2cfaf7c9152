import type { Logger } from 'pino';
import { isOutOfReach } from './db/faults';

export interface Apart<Item> {
  log: Logger;
  /** For the log, when one fails: `an authorization could not be expired`. */
  failed: string;
  /** For the log: what names the item, without personal data. */
  ids: (item: Item) => Record<string, string>;
  /** Whether a failure is that of all; that of the database that cannot be reached when absent. */
  concernsAll?: (error: unknown) => boolean;
}

/**
 * Does the work for each item, one after the other, whatever becomes of the others: one that cannot be done is written
 * down and passed over, so that it does not block those behind it. For jobs that find it again in their next run.
 * @returns the items that failed
 * @throws what concerns all of them: the rest would fail as well, and the whole is tried again
 */
export async function forEachIsolated<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  { log, failed, ids, concernsAll = isOutOfReach }: Apart<Item>,
): Promise<Item[]> {
  const failures: Item[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      if (concernsAll(error)) throw error;
      failures.push(item);
      log.error({ ...ids(item), err: error }, failed);
    }
  }
  return failures;
}
