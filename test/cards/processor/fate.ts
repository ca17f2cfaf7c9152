import type { Database } from '../../../src/kernel/db/database';
import { CommitUnknown, DatabaseAway } from '../../../src/kernel/db/faults';

/** A database that goes away, or whose commit is not heard, when the test says so. */

/** What becomes of the database: the next batch of card events is committed and its commit not heard; nothing is reached. */
export const fate = { unheard: false, away: false };

/** What is not judged by then is declined. */
export const within = { judgeMs: 2_000, keepMs: 400 };

/** Nothing is reached from now on: however short the time is, nothing is judged in it. */
export function goAway(): void {
  fate.away = true;
  within.judgeMs = 100;
}

export function comeBack(): void {
  Object.assign(fate, { unheard: false, away: false });
  within.judgeMs = 2_000;
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
      Object.assign(fate, { unheard: false, away: true });
      throw new CommitUnknown(new Error('the connection broke'));
    },
  };
}
