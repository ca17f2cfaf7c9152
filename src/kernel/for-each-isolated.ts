import type { Logger } from 'pino';
import { isOutOfReach } from './db/faults';

export interface Apart<Item> {
  log: Logger;
  /** Log message when one item fails: `an authorization could not be expired`. */
  failed: string;
  /** Log fields that identify the item, without personal data. */
  ids: (item: Item) => Record<string, string>;
  /** Whether a failure concerns all items. Default: the database cannot be reached. */
  concernsAll?: (error: unknown) => boolean;
}

/**
 * Runs the work for each item in turn. A failing item is logged and skipped, so that it does not block the items behind
 * it. For jobs whose next run finds failed items again.
 * @returns the items that failed
 * @throws a failure that concerns all items, after which the job is retried as a whole
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
