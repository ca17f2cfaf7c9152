import { proxyActivities } from '@temporalio/workflow';
import type { HousekeepingActivities } from '../activities/housekeeping';

/**
 * Each activity passes once over the rows of an hour, or of a longer outage. The workflow gives up a failing activity
 * within the hour, because the schedule starts no run before the previous one has ended.
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
 * Takes ledger snapshots for fast trial balances, deletes old idempotency keys, callbacks, quotes and spending, returns
 * wallets to their pool, and shows overdue card orders. A schedule starts it once an hour.
 */
export async function housekeeping(): Promise<void> {
  // A failing activity must not stop the others.
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
