import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Sql } from '../db/database';
import { DatabaseAway } from '../db/faults';
import type { GaugeName, Sample } from './definitions';

/** Gauges whose values are read from Postgres by one look, at a scrape. */
export interface Reading {
  /** The label of `metrics_reading_up`. */
  name: string;
  gauges: readonly GaugeName[];
  /** Bounded: an index of what is open, never a history. */
  read(sql: Sql): Promise<Sample[]>;
}

/** What is known is told again for so long: however many scrape, Postgres is asked once. */
const KEPT_MS = 5_000;
/** A scrape waits for so long; what is read later is told by the next one. */
const PATIENCE_MS = 2_000;
/** What could not be read anew is told for so long. */
const STALE_MS = 30_000;
/** Of one reading, in Postgres. */
const STATEMENT_SECONDS = 2;

export interface ReadingOptions {
  /** Milliseconds, monotonic. */
  now?: () => number;
  patienceMs?: number;
}

/** What is known of a reading; nothing where it could not be read. */
export type Known = Map<Reading, Sample[] | undefined>;

/**
 * Reads one after the other on one connection, so that counting takes no more from the requests' pool, and each in a
 * transaction of its own: one that fails leaves out its own gauges alone.
 * @returns reads what is not known any more, and gives what is
 */
export function createReader(
  database: Database,
  readings: () => readonly Reading[],
  { now = () => performance.now(), patienceMs = PATIENCE_MS }: ReadingOptions = {},
): () => Promise<Known> {
  const kept = new Map<string, { samples: Sample[] | undefined; at: number }>();
  let readAt: number | undefined;
  let reading: Promise<void> | undefined;

  async function readAll(): Promise<void> {
    let isAway = false;
    for (const each of readings()) {
      const samples = isAway
        ? undefined
        : await readOne(each).catch((error: unknown) => {
            isAway = error instanceof DatabaseAway;
            return undefined;
          });
      kept.set(each.name, { samples, at: now() });
    }
    readAt = now();
  }

  const readOne = ({ read }: Reading) =>
    database.transaction((tx) => read(tx), { statementSeconds: STATEMENT_SECONDS });

  return async () => {
    if (!reading && (readAt === undefined || now() - readAt >= KEPT_MS)) {
      reading = readAll().finally(() => {
        reading = undefined;
      });
    }
    if (reading) await waitedFor(reading, patienceMs);
    const at = now();
    const fresh = (each: Reading) => {
      const found = kept.get(each.name);
      return found && at - found.at <= STALE_MS ? found.samples : undefined;
    };
    return new Map(readings().map((each) => [each, fresh(each)]));
  };
}

async function waitedFor(work: Promise<void>, patienceMs: number): Promise<void> {
  const over = new AbortController();
  const tired = sleep(patienceMs, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
  await Promise.race([work, tired]);
  over.abort();
}
