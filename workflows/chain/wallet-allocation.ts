import type { WalletActivities } from '../../activities/wallets';
import { follow } from '../support/follow';
import { steps } from '../support/steps';

// A transaction of our own that asks no party.
const { advanceAllocation } = steps<WalletActivities>(
  {
    startToCloseTimeout: '30 seconds',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  },
  { advanceAllocation: (id) => `end ${id} if it has expired` },
);

/**
 * Ends an expired allocation of a wallet (`wallet-allocation-<allocationId>`). Ends early when the wallet is released.
 * @returns `expired` or `released`
 */
export function walletAllocation(allocationId: string): Promise<string> {
  return follow(allocationId, advanceAllocation, { allocated: 'Kept for a payer until it expires.' });
}
