import type { Database, Sql } from '../db/database';
import { DatabaseAway } from '../db/faults';
import type { GaugeName, Sample } from './definitions';
import { within } from './within';

/** Gauges that one query of Postgres fills at a scrape. */
export interface Reading {
  /** The label of `metrics_reading_up`. */
  name: string;
  gauges: readonly GaugeName[];
  /** Milliseconds for which the values are kept. Default: five seconds. */
  keptMs?: number;
  /** Bounded: reads an index of open records, never a history. */
  read(sql: Sql): Promise<Sample[]>;
}

/** Age of a time of the product, never below zero. @param at milliseconds since 1970 */
export const ageSeconds = (now: Date, at: number): number => Math.max(0, now.getTime() - at) / 1_000;

/** Lifetime of a reading. Any number of scrapes within it causes one query. */
const KEPT_MS = 5_000;
/** Longest wait of a scrape. Values that arrive later appear in the next scrape. */
const PATIENCE_MS = 2_000;
/** Age up to which a value of the shortest lifetime is still reported when it cannot be read again. */
const STALE_MS = 30_000;
/** Statement time-out of one reading. */
const STATEMENT_SECONDS = 2;

export interface ReadingOptions {
  /** Milliseconds, monotonic. */
  now?: () => number;
  patienceMs?: number;
}

/** Values by reading. Undefined for a reading that failed. */
export type Known = Map<Reading, Sample[] | undefined>;

/**
 * Reads one after the other on one connection, so that metrics take only one connection of the requests' pool. Each
 * reading has its own transaction, so a failure leaves out its own gauges alone.
 * @returns refreshes expired readings and returns all values
 */
export function createReader(
  database: Database,
  readings: () => readonly Reading[],
  { now = () => performance.now(), patienceMs = PATIENCE_MS }: ReadingOptions = {},
): () => Promise<Known> {
  const kept = new Map<string, { samples: Sample[] | undefined; at: number }>();
  let reading: Promise<void> | undefined;

  const isDue = (each: Reading): boolean => {
    const found = kept.get(each.name);
    // A reading that failed is tried again soon.
    return !found || now() - found.at >= (found.samples ? keptMsOf(each) : KEPT_MS);
  };

  async function readAll(): Promise<void> {
    let isAway = false;
    for (const each of readings().filter(isDue)) {
      const samples = isAway
        ? undefined
        : await readOne(each).catch((error: unknown) => {
            isAway = error instanceof DatabaseAway;
            return undefined;
          });
      kept.set(each.name, { samples, at: now() });
    }
  }

  const readOne = ({ read }: Reading) =>
    database.transaction((tx) => read(tx), { statementSeconds: STATEMENT_SECONDS });

  return async () => {
    if (!reading && readings().some(isDue)) {
      reading = readAll().finally(() => {
        reading = undefined;
      });
    }
    if (reading) await within(patienceMs, reading);
    const at = now();
    const fresh = (each: Reading) => {
      const found = kept.get(each.name);
      return found && at - found.at <= keptMsOf(each) + STALE_MS - KEPT_MS ? found.samples : undefined;
    };
    return new Map(readings().map((each) => [each, fresh(each)]));
  };
}

const keptMsOf = ({ keptMs = KEPT_MS }: Reading): number => keptMs;
