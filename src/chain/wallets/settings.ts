import { z } from 'zod';

/** Default limit of a tenant's wallets at once. */
export const OPEN_ALLOCATIONS = 10_000;

/** A tenant's limits of the wallet pool. */
export const walletSettings = z.object({
  /**
   * Wallets that the tenant has at once, allocated or resting. Limited because each wallet is watched on its chain for
   * ever.
   */
  openAllocations: z.int().min(0).max(100_000).default(OPEN_ALLOCATIONS),
});

export const walletSettingsSection = { name: 'wallets', schema: walletSettings };
