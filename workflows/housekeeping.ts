import { proxyActivities } from '@temporalio/workflow';
import type { HousekeepingActivities } from '../activities/housekeeping';

/**
 * Each activity is one pass over the rows of an hour, or of a longer outage. The workflow gives up a failing activity within the hour,
 * because the schedule begins no other run before this one has ended.
 */
const {
  takeLedgerSnapshots,
  forgetOldIdempotencyKeys,
  forgetOldCallbacks,
  forgetUnusedQuotes,
  forgetOldSpending,
  releaseExpiredWallets,
  showOverdueCardOrders,
} = proxyActivities<HousekeepingActivities>({
  startToCloseTimeout: '15 minutes',
  scheduleToCloseTimeout: '50 minutes',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

/**
 * Once an hour: keeps trial balances quick, and the tables of idempotency keys, callbacks, quotes and spending small, returns
 * wallets to their pool, and shows card orders that wait too long.
 */
export async function housekeeping(): Promise<void> {
  // A failing activity must not keep the others from their turn.
  const ended = await Promise.allSettled([
    takeLedgerSnapshots(),
    forgetOldIdempotencyKeys(),
    forgetOldCallbacks(),
    forgetUnusedQuotes(),
    forgetOldSpending(),
    releaseExpiredWallets(),
    showOverdueCardOrders(),
  ]);
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}
