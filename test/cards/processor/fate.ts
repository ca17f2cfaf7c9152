import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerWithin, Stopwatch } from '../../../src/cards/services';
import type { Database } from '../../../src/kernel/db/database';
import { CommitUnknown, DatabaseAway } from '../../../src/kernel/db/faults';

/** A database that goes away, or whose commit is not heard, when the test says so. */

/** What becomes of the database: the next batch of card events is committed and its commit not heard; nothing is reached. */
export const fate = { unheard: false, away: false };

/** Waits by the stopwatch that have not ended. */
const waits = new Set<{ endsAt: number; end(): void }>();
let passed = 0;

/** Goes as time does, and further when the test says so. */
const stopwatch: Stopwatch = {
  now: () => performance.now() + passed,
  async wait(ms, signal) {
    const end = new AbortController();
    const wait = { endsAt: stopwatch.now() + ms, end: () => end.abort() };
    waits.add(wait);
    try {
      await sleep(ms, undefined, { signal: AbortSignal.any([end.signal, ...(signal ? [signal] : [])]) });
    } catch (error) {
      if (!end.signal.aborted) throw error;
    } finally {
      waits.delete(wait);
    }
  },
};

function passTime(ms: number): void {
  passed += ms;
  for (const { endsAt, end } of waits) if (endsAt <= stopwatch.now()) end();
}

const IN_REACH = { judgeMs: 60_000, keepMs: 60_000 };
/** Nothing is judged or kept while the database is away, however short the time is. */
const AWAY = { judgeMs: 100, keepMs: 20 };

/** What is not judged by then is declined. */
export const within: AnswerWithin = { ...IN_REACH, stopwatch };

/** Nothing is reached from now on, and the time of what is under way is over. */
export function goAway(): void {
  fate.away = true;
  Object.assign(within, AWAY);
  passTime(IN_REACH.judgeMs);
}

export function comeBack(): void {
  Object.assign(fate, { unheard: false, away: false });
  Object.assign(within, IN_REACH);
}

export function fated(database: Database): Database {
  const reachable = () => {
    if (fate.away) throw new DatabaseAway('the test');
  };
  return {
    ...database,
    async query(text, values) {
      reachable();
      return database.query(text, values);
    },
    async run(built) {
      reachable();
      return database.run(built);
    },
    async prepared(name, text, values) {
      reachable();
      return database.prepared(name, text, values);
    },
    async transaction(work, options) {
      reachable();
      const done = await database.transaction(work, options);
      if (!fate.unheard || !options?.plansKept) return done;
      fate.unheard = false;
      goAway();
      throw new CommitUnknown(new Error('the connection broke'));
    },
  };
}
