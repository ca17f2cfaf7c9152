import { proxyActivities } from '@temporalio/workflow';
import type { WalletActivities } from '../../activities/wallets';
import { follow } from '../support/follow';

// A transaction of our own: it asks no party.
const { advanceAllocation } = proxyActivities<WalletActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Ends the allocation of a wallet when its time has come (`wallet-allocation-<allocationId>`); told that it was released, it ends
 * itself.
 * @returns `expired` or `released`
 */
export function walletAllocation(allocationId: string): Promise<string> {
  return follow(allocationId, advanceAllocation, { allocated: 'Kept for a payer until it expires.' });
}
