import { forgetOldSpending } from '../src/cards/events/limits/count';
import { releaseAllExpired } from '../src/chain/wallets/allocations/end';
import type { Sql } from '../src/kernel/db/database';
import { forgetOldKeys } from '../src/kernel/idempotency';
import { takeSnapshots } from '../src/kernel/ledger/check';
import { forgetOldCallbacks } from '../src/process/callbacks/operations';
import { forgetUnusedQuotes } from '../src/process/quotes/operations';
import type { Services } from '../src/services';

export interface HousekeepingActivities {
  takeLedgerSnapshots(): Promise<void>;
  /** @returns how many were deleted */
  forgetOldIdempotencyKeys(): Promise<number>;
  /** @returns how many rows of callbacks and of counts were deleted */
  forgetOldCallbacks(): Promise<number>;
  /** @returns how many were deleted */
  forgetUnusedQuotes(): Promise<number>;
  /** Of wallets: ends allocations that have expired, returns what has rested. @returns how many wallets have changed */
  releaseExpiredWallets(): Promise<number>;
  /** @returns how many days of cards and users were deleted */
  forgetOldSpending(): Promise<number>;
}

/** Idempotent: each deletes or summarizes what is old, and finds nothing left when it runs again. */
export function createHousekeepingActivities(
  services: Pick<Services, 'database' | 'now' | 'walletQuarantineSeconds'>,
): HousekeepingActivities {
  const { database, now } = services;
  /** An hour's rows may take longer than a request's statements are allowed. */
  const withLongStatements = <T>(work: (sql: Sql) => Promise<T>) =>
    database.transaction(work, { statementSeconds: 600 });
  return {
    takeLedgerSnapshots: () => withLongStatements(takeSnapshots),
    forgetOldIdempotencyKeys: () => withLongStatements(forgetOldKeys),
    forgetOldCallbacks: () => forgetOldCallbacks(database),
    forgetUnusedQuotes: () => withLongStatements(forgetUnusedQuotes),
    releaseExpiredWallets: () => releaseAllExpired(services),
    forgetOldSpending: () => withLongStatements((sql) => forgetOldSpending(sql, now())),
  };
}
