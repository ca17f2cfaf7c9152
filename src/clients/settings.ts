import { z } from 'zod';
import { bankingSettings } from '../banking/settings';
import { depositSettings } from '../deposits/settings';
import { externalCardSettings } from '../external-cards/settings';
import { payoutSettings } from '../payouts/settings';

/** What the operator can set for a tenant. Kept whole in `tenants.settings`; absent fields take these defaults. */
export const tenantSettings = z.object({
  rateLimit: z
    .object({ perSecond: z.number().positive().max(100_000), burst: z.number().positive().max(1_000_000) })
    .default({ perSecond: 100, burst: 200 }),
  /** `auto`: the sandbox approves cardholders by itself. `manual`: an operator decides. */
  cardholderReview: z.enum(['auto', 'manual']).default('auto'),
  /** `auto`: the sandbox ends the review of a user's KYC by itself. `manual`: an operator decides. */
  kycReview: z.enum(['auto', 'manual']).default('manual'),
  deposits: depositSettings.prefault({}),
  payouts: payoutSettings.prefault({}),
  externalCards: externalCardSettings.prefault({}),
  banking: bankingSettings.prefault({}),
});

export type TenantSettings = z.infer<typeof tenantSettings>;

/** The demo tenants of the sandbox may be driven hard. */
export const DEMO_RATE_LIMIT = { perSecond: 2_000, burst: 4_000 };

/** How long a rotated secret authenticates beside the new one: unless it is said, and at most. */
export const OVERLAP_SECONDS = { usual: 24 * 60 * 60, most: 30 * 24 * 60 * 60 };
