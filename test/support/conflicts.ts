import type { Database } from '../../src/kernel/db/database';

/**
 * Counts retries of transactions after a deadlock or a lost update. There are none when locks are taken in one order.
 * @returns `counting`, which wraps the database for the services
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
