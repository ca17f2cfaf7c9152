import { forgetOldSpending } from '../src/cards/events/limits/load-spending';
import { showOverdueOrders } from '../src/cards/orders/overdue';
import { releaseAllExpired } from '../src/chain/wallets/allocations/end';
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
  /** Opens and closes the breaks of card orders that the processor leaves open. */
  showOverdueCardOrders(): Promise<void>;
}

/** Idempotent: each deletes or summarizes what is old, and finds nothing left when it runs again. */
export function createHousekeepingActivities(
  services: Pick<Services, 'database' | 'now' | 'walletQuarantineSeconds' | 'cardOrderWaitSeconds'>,
): HousekeepingActivities {
  const { database, now } = services;
  return {
    // An hour's entries may take longer to sum than a request's statements are allowed.
    takeLedgerSnapshots: () => database.transaction(takeSnapshots, { statementSeconds: 600 }),
    forgetOldIdempotencyKeys: () => forgetOldKeys(database),
    forgetOldCallbacks: () => forgetOldCallbacks(database),
    forgetUnusedQuotes: () => forgetUnusedQuotes(database),
    releaseExpiredWallets: () => releaseAllExpired(services),
    forgetOldSpending: () => forgetOldSpending(database, now()),
    showOverdueCardOrders: () => showOverdueOrders(services),
  };
}
