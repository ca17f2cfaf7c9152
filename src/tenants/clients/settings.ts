import { z } from 'zod';

/**
 * Settings of a tenant, which the operator changes. Stored whole in `tenants.settings`; absent fields take these
 * defaults. Each other domain has a {@link SettingsSection}.
 */
export const tenantSettings = z.looseObject({
  rateLimit: z
    .object({ perSecond: z.number().positive().max(100_000), burst: z.number().positive().max(1_000_000) })
    .default({ perSecond: 100, burst: 200 }),
  /** `auto`: the sandbox approves cardholders. `manual`: an operator decides. */
  cardholderReview: z.enum(['auto', 'manual']).default('auto'),
  /** `auto`: the sandbox completes the KYC review of users. `manual`: an operator decides. */
  kycReview: z.enum(['auto', 'manual']).default('manual'),
  /**
   * After a client changes a user with completed KYC: `resubmit` requires a new submission, `keep` shows the reviewer
   * both versions.
   */
  kycOnChange: z.enum(['keep', 'resubmit']).default('keep'),
  /** Years for which a blocked user is kept before an operator may erase the person. */
  retentionYears: z.int().min(1).max(30).default(5),
});

/** A domain's section of the tenant's settings. Each field of the schema has a default. */
export interface SettingsSection<T> {
  name: string;
  schema: z.ZodType<T>;
}

export type TenantSettings = z.infer<typeof tenantSettings>;

/** High, so that the sandbox's demo tenants can be put under load. */
export const DEMO_RATE_LIMIT = { perSecond: 2_000, burst: 4_000 };

/** Seconds for which a rotated secret authenticates beside the new one. */
export const OVERLAP_SECONDS = { default: 24 * 60 * 60, max: 30 * 24 * 60 * 60 };
