import { type AllocationProgress, advanceAllocation } from '../src/chain/wallets/allocations/end';
import type { Composed } from '../src/composition';

export interface WalletActivities {
  /** Ends an expired allocation. Idempotent. */
  advanceAllocation(allocationId: string): Promise<AllocationProgress>;
}

export function createWalletActivities(services: Composed): WalletActivities {
  return { advanceAllocation: (allocationId) => advanceAllocation(services, allocationId) };
}
