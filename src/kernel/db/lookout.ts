import type { Database } from './database';
import { isAway } from './faults';

/** Something in Postgres that a loop waits for. */
export interface Sign {
  /** For the log. */
  name: string;
  /** SQL expression of one value without parameters. Reads an index, because each look evaluates it. */
  sql: string;
}

/** A sign as text, null for NULL. */
export type SignValue = string | null;

/** Interval of looks for {@link QUICK_FOR_MS} after a sign was seen. It doubles up to the longest one afterwards. */
const SOONEST_MS = 250;
export const LATEST_LOOK_MS = 2_000;
const QUICK_FOR_MS = 5_000;
/** Longest rest of a loop. A sign that fails to tell of some work costs this time. */
const LONGEST_REST_MS = 60_000;

/**
 * Looks for all loops of a process, by one statement, whether there is something to do. A loop rests here instead of asking Postgres by
 * itself, so a process that waits for nothing sends one statement in two seconds.
 */
export interface Lookout {
  /**
   * Rests until a look finds another value than `known`. Resolves also when the signal aborts, when Postgres cannot be asked, and after
   * `mostMs`. The caller then does its own work, which finds nothing when the sign was wrong.
   */
  until(sign: Sign, known: SignValue, options?: { signal?: AbortSignal; mostMs?: number }): Promise<void>;
  /** The value of a sign, as of at most two seconds ago. @throws Error when Postgres cannot be asked */
  value(sign: Sign): Promise<SignValue>;
  /** The same with the moment before its look, by `performance.now()`. The value may be older when Postgres hung meanwhile. */
  seen(sign: Sign): Promise<{ at: number; value: SignValue }>;
  /** Forgets the last look and looks at once, because something was written that another loop may wait for. */
  wake(): void;
}

interface Waiter {
  sign: Sign;
  known: SignValue;
  end(): void;
}

/** The result of a look. */
interface Seen {
  /** Before the statement, because the process may stand still before it reads the answer. */
  at: number;
  values: ReadonlyMap<string, SignValue>;
}

const NOTHING_SEEN: Seen = { at: Number.NEGATIVE_INFINITY, values: new Map() };

const lookouts = new WeakMap<Database, Lookout>();

/** The lookout of a process's database. It asks nothing while no loop rests. */
export function lookoutOf(database: Database): Lookout {
  const known = lookouts.get(database);
  if (known) return known;
  const created = createLookout(database);
  lookouts.set(database, created);
  return created;
}

/**
 * Whether such a row exists, for {@link Lookout.until} with {@link NONE}.
 * @param from with the order of an index, else Postgres may scan another one
 */
export const existsSign = (name: string, from: string): Sign => ({
  name,
  sql: `coalesce((select true ${from} limit 1), false)`,
});
export const NONE = 'false';
/**
 * Value of a sign, or its beginning: there may be work. A write brings some, and so does a change of the rest of the value or a fact
 * outside of Postgres.
 */
export const PERHAPS = 'perhaps';

function createLookout(database: Database): Lookout {
  const waiters = new Set<Waiter>();
  /** Signs whose value was asked for. They join each look from then on. */
  const valued = new Map<string, Sign>();
  let seen = NOTHING_SEEN;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let interval = SOONEST_MS;
  let quickUntil = 0;
  let isWoken = false;
  let isTurning = false;

  async function look(): Promise<void> {
    const signs = new Map([...valued, ...[...waiters].map(({ sign }) => [sign.sql, sign] as const)]);
    const parts = [...signs.keys()].map((sql, place) => `(${sql})::text as s${place}`);
    const at = performance.now();
    const [row = {}] = await database.query<Record<string, SignValue>>(`select ${parts.join(', ')}`);
    const values = new Map([...signs.keys()].map((sql, place) => [sql, row[`s${place}`] ?? null]));
    seen = { at, values };
  }

  /** One look at a time. */
  function looked(): Promise<void> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function turn(): Promise<void> {
    timer = undefined;
    isTurning = true;
    // A look that began earlier may have missed what woke this one.
    await looking?.catch(() => undefined);
    const asked = [...waiters];
    isWoken = false;
    try {
      await looked();
      const ended = asked.filter(({ sign, known }) => {
        const value = seen.values.get(sign.sql);
        return value !== undefined && value !== known;
      });
      for (const waiter of ended) waiter.end();
      if (ended.length > 0) hurry();
      else if (performance.now() > quickUntil) interval = Math.min(2 * interval, LATEST_LOOK_MS);
    } catch (error) {
      // Each loop looks by itself and reports the failure in its own words.
      for (const waiter of asked) waiter.end();
      interval = LATEST_LOOK_MS / 2;
      if (!isAway(error)) process.emitWarning(`a look for work has failed: ${(error as Error).message}`);
    }
    isTurning = false;
    plan();
  }

  async function valueSeen(sign: Sign): Promise<{ at: number; value: SignValue }> {
    valued.set(sign.sql, sign);
    if (performance.now() - seen.at > LATEST_LOOK_MS || !seen.values.has(sign.sql)) await looked();
    if (!seen.values.has(sign.sql)) await looked(); // a look that was under way did not ask for it
    return { at: seen.at, value: seen.values.get(sign.sql) ?? null };
  }

  function hurry(): void {
    interval = SOONEST_MS;
    quickUntil = performance.now() + QUICK_FOR_MS;
  }

  /** Plans the next look. Unreferenced, so that a stopping process does not wait for it. */
  function plan(): void {
    if (timer || isTurning || waiters.size === 0) return;
    timer = setTimeout(() => void turn(), isWoken ? 0 : interval).unref();
  }

  return {
    until: (sign, known, { signal, mostMs = LONGEST_REST_MS } = {}) =>
      new Promise<void>((resolve) => {
        const waiter = { sign, known, end };
        const latest = setTimeout(end, mostMs).unref();
        function end(): void {
          clearTimeout(latest);
          signal?.removeEventListener('abort', end);
          waiters.delete(waiter);
          if (waiters.size === 0) {
            clearTimeout(timer);
            timer = undefined;
          }
          resolve();
        }
        if (signal?.aborted) return end();
        signal?.addEventListener('abort', end);
        waiters.add(waiter);
        plan();
      }),
    value: async (sign) => (await valueSeen(sign)).value,
    seen: valueSeen,
    wake() {
      seen = NOTHING_SEEN;
      hurry();
      isWoken = true;
      clearTimeout(timer);
      timer = undefined;
      plan();
    },
  };
}
