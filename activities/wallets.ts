import { type AllocationProgress, advanceAllocation } from '../src/chain/wallets/allocations/end';
import type { Composed } from '../src/composition';

export interface WalletActivities {
  /** Ends an allocation whose time has come. Idempotent. */
  advanceAllocation(allocationId: string): Promise<AllocationProgress>;
}

export function createWalletActivities(services: Composed): WalletActivities {
  return { advanceAllocation: (allocationId) => advanceAllocation(services, allocationId) };
}
