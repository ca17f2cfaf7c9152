import { patched, proxyActivities } from '@temporalio/workflow';
import type { HousekeepingActivities } from '../activities/housekeeping';

/** Its activities are each one pass over what has gathered in an hour, or in as long as we were away. */
const {
  takeLedgerSnapshots,
  forgetOldIdempotencyKeys,
  forgetOldCallbacks,
  forgetUnusedQuotes,
  forgetOldSpending,
  releaseExpiredWallets,
} = proxyActivities<HousekeepingActivities>({
  startToCloseTimeout: '15 minutes',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

/**
 * Once an hour: keeps trial balances quick, and the tables of idempotency keys, callbacks, quotes and spending small, and returns
 * wallets to their pool.
 */
export async function housekeeping(): Promise<void> {
  if (patched('parts-apart')) {
    // Each is tried until it is done: one that cannot be must not keep the others from their turn.
    const parts: Promise<unknown>[] = [
      takeLedgerSnapshots(),
      forgetOldIdempotencyKeys(),
      forgetOldCallbacks(),
    ];
    if (patched('unused-quotes')) parts.push(forgetUnusedQuotes());
    if (patched('old-spending')) parts.push(forgetOldSpending());
    if (patched('expired-wallets')) parts.push(releaseExpiredWallets());
    await Promise.all(parts);
    return;
  }
  await takeLedgerSnapshots();
  await forgetOldIdempotencyKeys();
}
