import type { Database, Sql } from '../src/kernel/db/database';
import { forgetOldKeys } from '../src/kernel/idempotency';
import { takeSnapshots } from '../src/kernel/ledger/check';
import { forgetOldCallbacks } from '../src/process/callbacks/operations';

export interface HousekeepingActivities {
  takeLedgerSnapshots(): Promise<void>;
  /** @returns how many were forgotten */
  forgetOldIdempotencyKeys(): Promise<number>;
  /** @returns how many rows of callbacks and of counts were forgotten */
  forgetOldCallbacks(): Promise<number>;
}

/** Run once an hour; twice does no harm. */
export function createHousekeepingActivities({ database }: { database: Database }): HousekeepingActivities {
  /** An hour's rows may take longer than a request's statements are allowed. */
  const atLeisure = <T>(work: (sql: Sql) => Promise<T>) =>
    database.transaction(work, { statementSeconds: 600 });
  return {
    takeLedgerSnapshots: () => atLeisure(takeSnapshots),
    forgetOldIdempotencyKeys: () => atLeisure(forgetOldKeys),
    forgetOldCallbacks: () => forgetOldCallbacks(database),
  };
}
