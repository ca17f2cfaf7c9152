import type { AnswerWithin, Stopwatch } from '../../../src/cards/services';
import type { Database } from '../../../src/kernel/db/database';
import { CommitUnknown, DatabaseAway } from '../../../src/kernel/db/faults';

/** A database that becomes unreachable, or whose commit gets no answer, at a test's command. */

/** The fate of the database: the next batch of card events commits without an answer, or nothing is reachable. */
export const fate = { unheard: false, away: false };

/** Calls of the stopwatch that are still to come. */
const calls = new Set<{ at: number; now(): void }>();
let passed = 0;

/** A stopwatch that runs with time, and further at a test's command. */
const stopwatch: Stopwatch = {
  now: () => performance.now() + passed,
  after(ms, call) {
    const later = { at: stopwatch.now() + ms, now };
    const timer = setTimeout(now, ms);
    function cancel() {
      clearTimeout(timer);
      calls.delete(later);
    }
    function now() {
      cancel();
      call();
    }
    calls.add(later);
    return cancel;
  },
};

function passTime(ms: number): void {
  passed += ms;
  for (const { at, now } of calls) if (at <= stopwatch.now()) now();
}

const IN_REACH = { judgeMs: 60_000, keepMs: 60_000 };
/** Judges and stores nothing while the database is unreachable, however short the time limit. */
const AWAY = { judgeMs: 100, keepMs: 20 };

/** A message that is not judged within its time limit is declined. */
export const within: AnswerWithin = { ...IN_REACH, stopwatch };

/** Makes the database unreachable and ends the time limit of the messages under way. */
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
