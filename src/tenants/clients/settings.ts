import { z } from 'zod';

/**
 * What the operator can set for a tenant. Kept whole in `tenants.settings`; absent fields take these defaults. Other
 * domains have a section each, which {@link SettingsSection} reads.
 */
export const tenantSettings = z.looseObject({
  rateLimit: z
    .object({ perSecond: z.number().positive().max(100_000), burst: z.number().positive().max(1_000_000) })
    .default({ perSecond: 100, burst: 200 }),
  /** `auto`: the sandbox approves cardholders by itself. `manual`: an operator decides. */
  cardholderReview: z.enum(['auto', 'manual']).default('auto'),
  /** `auto`: the sandbox ends the review of a user's KYC by itself. `manual`: an operator decides. */
  kycReview: z.enum(['auto', 'manual']).default('manual'),
  /** `resubmit`: a client's change of a user whose KYC is completed asks for a new submission. `keep`: the reviewer sees both versions. */
  kycOnChange: z.enum(['keep', 'resubmit']).default('keep'),
});

/** A domain's own part of a tenant's settings. Its schema has a default for every field. */
export interface SettingsSection<T> {
  name: string;
  schema: z.ZodType<T>;
}

export type TenantSettings = z.infer<typeof tenantSettings>;

/** The demo tenants of the sandbox may be driven hard. */
export const DEMO_RATE_LIMIT = { perSecond: 2_000, burst: 4_000 };

/** How long a rotated secret authenticates beside the new one. Seconds. */
export const OVERLAP_SECONDS = { default: 24 * 60 * 60, max: 30 * 24 * 60 * 60 };
