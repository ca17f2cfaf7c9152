import { patched } from '@temporalio/workflow';
import type { HousekeepingActivities } from '../activities/housekeeping';
import { showTurn } from './support/status';
import { steps } from './support/steps';

/**
 * Each activity passes once over the rows of an hour, or of a longer outage. The workflow gives up a failing activity
 * within the hour, because the schedule starts no run before the previous one has ended.
 */
const {
  takeLedgerSnapshots,
  forgetOldIdempotencyKeys,
  forgetOldCallbacks,
  forgetOldEvents,
  forgetUnusedQuotes,
  forgetOldSpending,
  forgetPersonalData,
  releaseExpiredWallets,
  showOverdueCardOrders,
} = steps<HousekeepingActivities>(
  {
    startToCloseTimeout: '15 minutes',
    scheduleToCloseTimeout: '50 minutes',
    retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  },
  {
    takeLedgerSnapshots: 'take snapshots of the ledger, for fast trial balances',
    forgetOldIdempotencyKeys: 'delete old idempotency keys',
    forgetOldCallbacks: 'delete old callbacks of parties',
    forgetOldEvents: 'delete old events for webhooks',
    forgetUnusedQuotes: 'delete quotes that nobody used',
    forgetOldSpending: 'delete old sums of spending',
    forgetPersonalData: 'delete old challenges, sandbox mails and files of cardholders',
    releaseExpiredWallets: 'end expired allocations, and return rested wallets to their pool',
    showOverdueCardOrders: 'open a break for each overdue card order, and close those of ended orders',
  },
);

/**
 * Takes ledger snapshots for fast trial balances, deletes old idempotency keys, callbacks, events, quotes and spending,
 * deletes old personal data, returns wallets to their pool, and shows overdue card orders. A schedule starts it once an hour.
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
    // Runs that began before the release of these tasks do not have them.
    ...(patched('forget-old-events') ? [forgetOldEvents()] : []),
    ...(patched('forget-personal-data') ? [forgetPersonalData()] : []),
  ]);
  const failed = ended.filter(({ status }) => status === 'rejected').length;
  showTurn(`${ended.length - failed} of ${ended.length} tasks are done.`);
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}
