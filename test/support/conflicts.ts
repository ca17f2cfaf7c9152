import type { Database } from '../../src/kernel/db/database';

/**
 * Counts how often a transaction had to be run again, for a deadlock or a lost update: where locks are taken in one order
 * that never happens.
 * @returns `counting`, to wrap the database that the services are given
 */
export function countConflicts() {
  let conflicts = 0;
  return {
    conflicts: () => conflicts,
    counting: (database: Database): Database => ({
      ...database,
      transaction(work, options) {
        let attempts = 0;
        return database.transaction((tx) => {
          attempts += 1;
          if (attempts > 1) conflicts += 1;
          return work(tx);
        }, options);
      },
    }),
  };
}
