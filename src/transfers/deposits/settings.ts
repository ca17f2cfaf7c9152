import { z } from 'zod';
import { isCurrency } from '../../kernel/money/currencies';
import { decimalText } from '../../kernel/wire/schemas';

/** Payment methods (decisions part 4, Deposits). */
export const DEPOSIT_METHODS = ['card', 'bank_transfer', 'crypto'] as const;
export type DepositMethod = (typeof DEPOSIT_METHODS)[number];

const decimal = decimalText();

/**
 * The offer of a tenant's programme for one method and payer's currency. `min`, `max` and `feeFixed` are in
 * `currency`.
 */
const fundingTerms = z.strictObject({
  method: z.enum(DEPOSIT_METHODS),
  currency: z.string().refine(isCurrency, 'must be a known currency code such as "USD"'),
  min: decimal,
  max: decimal,
  feeFixed: decimal,
  /** Percentage of the charged amount: "2.9" is 2.9 %. */
  feePercent: decimal,
  /** From payment to credit, an ISO 8601 duration. */
  estimatedTime: z.string().regex(/^P(\d+D|T\d+[HM])$/, 'must be a duration such as "PT5M" or "P1D"'),
});

export type FundingTerms = z.infer<typeof fundingTerms>;

const card = { min: '1.00', max: '10000.00', feeFixed: '0.30', feePercent: '2.9', estimatedTime: 'PT5M' };
const bank = { min: '10.00', max: '100000.00', feeFixed: '1.00', feePercent: '0', estimatedTime: 'P1D' };
const crypto = { min: '10', max: '50000', feeFixed: '0', feePercent: '1', estimatedTime: 'PT30M' };

const OFFERED: FundingTerms[] = [
  ...['USD', 'EUR', 'GBP'].map((currency) => ({ method: 'card' as const, currency, ...card })),
  ...['USD', 'EUR', 'GBP'].map((currency) => ({ method: 'bank_transfer' as const, currency, ...bank })),
  ...['USDT', 'USDC'].map((currency) => ({ method: 'crypto' as const, currency, ...crypto })),
];

/** The operator's settings for a tenant's deposits. */
export const depositSettings = z.object({
  options: z.array(fundingTerms).default(OFFERED),
  /** From the creation of a deposit to its `expiresAt`. */
  expirySeconds: z.number().int().min(60).max(604_800).default(1_800),
});

export const depositSettingsSection = { name: 'deposits', schema: depositSettings };
