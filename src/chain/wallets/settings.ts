import { z } from 'zod';

/** How many wallets a tenant may have at once where the operator has set nothing else. */
export const OPEN_ALLOCATIONS = 10_000;

/** What a tenant may have of the pool. */
export const walletSettings = z.object({
  /** How many wallets are allocated to it at once, or rest after that: each is watched on its chain for ever, and the pool grows. */
  openAllocations: z.int().min(0).max(100_000).default(OPEN_ALLOCATIONS),
});

export const walletSettingsSection = { name: 'wallets', schema: walletSettings };
