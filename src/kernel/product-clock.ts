import type { Database, Sql, Tx } from './db/database';
import { LATEST_LOOK_MS, lookoutOf, type Sign } from './db/lookout';
import { firstIdAt, type IdKind } from './ids';

/**
 * The product's time: the machine's time plus an offset, which only the sandbox's clock advances (`POST /sandbox/clock`).
 * Postgres keeps the offset (`product_offset()`), and each process has it in memory. Leases, ids, signatures, sessions and
 * Temporal keep the machine's time.
 */
export interface ProductClock {
  now(): Date;
  /** The machine's time, for signatures and for parties outside of the sandbox. */
  machineNow(): Date;
  offsetMs(): number;
  /** Translates a time of the product for a timer of Temporal. @returns milliseconds since 1970 */
  toWorkflow(at: Date): number;
  /** Translates a time of a workflow's clock. @param ms since 1970 */
  fromWorkflow(ms: number): Date;
  /** Reads the stored offset. @returns whether it differs from the last one */
  read(sql: Sql): Promise<boolean>;
}

/** @param machineNow the machine's time; tests pass a clock of their own */
export function createProductClock(machineNow: () => Date): ProductClock {
  let offsetMs = 0;
  const moved = (ms: number) => new Date(ms + offsetMs);
  return {
    now: () => moved(machineNow().getTime()),
    machineNow,
    offsetMs: () => offsetMs,
    toWorkflow: (at) => at.getTime() - offsetMs,
    fromWorkflow: moved,
    async read(sql) {
      const before = offsetMs;
      offsetMs = (await readOffsetSeconds(sql)) * 1_000;
      return offsetMs !== before;
    },
  };
}

/** The stored offset in whole seconds. */
export async function readOffsetSeconds(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ seconds: number }>(
    'select extract(epoch from product_offset())::float8 as seconds',
  );
  return row?.seconds ?? 0;
}

/** The clocks of processes and the database agree within this time. */
export const CLOCKS_APART_MS = 10_000;
/** A record gets its time under locks, and its id before. */
export const TIME_AFTER_ID_MS = 120_000;

/**
 * The ids that records with a time in `[from, to)` can have. An id has the machine's time, and the record's time was ahead of it by
 * at most the present offset. The caller filters by the record's time as well.
 * @returns the first id, and the id before which the last one sorts
 */
export async function idsWithin(
  sql: Sql,
  kind: IdKind,
  { from, to }: { from: Date; to: Date },
): Promise<[first: string, end: string]> {
  const earlierMs = TIME_AFTER_ID_MS + (await readOffsetSeconds(sql)) * 1_000;
  return [
    firstIdAt(kind, new Date(from.getTime() - earlierMs)),
    firstIdAt(kind, new Date(to.getTime() + CLOCKS_APART_MS)),
  ];
}

/**
 * Adds to the stored offset. Statements of all connections have the new time after the commit.
 * @param bySeconds whole and above zero
 * @returns the offset before and after, in seconds
 */
export async function advanceOffset(tx: Tx, bySeconds: number): Promise<{ before: number; after: number }> {
  // The bounds of an int8, checked before it is sent.
  if (!Number.isSafeInteger(bySeconds)) throw new Error('an offset has whole seconds');
  const [offset] = await tx.query<{ before: string; after: string }>(
    'select before, after from advance_product_offset($1)',
    [bySeconds],
  );
  return { before: Number(offset?.before), after: Number(offset?.after) };
}

/** Within this time each process of the installation knows a new offset. */
export const KNOWN_WITHIN_MS = LATEST_LOOK_MS + 500;

const OFFSET: Sign = {
  name: 'offset of the clock',
  sql: 'extract(epoch from product_offset())::float8',
};

/**
 * Reads the offset when it has changed, until it is stopped. A failed reading keeps the last offset.
 * @param onChange called after another process has advanced the clock
 */
export function keepProductClock(
  clock: ProductClock,
  database: Database,
  onChange: () => Promise<void>,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = (async () => {
    while (!signal.aborted) {
      await lookoutOf(database).until(OFFSET, String(clock.offsetMs() / 1_000), { signal });
      if (signal.aborted) return;
      const isNew = await clock.read(database).catch(() => false);
      if (isNew) await onChange().catch(() => undefined);
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
