import { z } from 'zod';
import { feePercent, fixedFees } from '../../kernel/wire/fees';

/**
 * A tenant's prices for exchanges between its accounts, set by the operator; zero by default.
 * - `spreadBps`: basis points by which the tenant's rate is below the bid; 25 is a quarter of a percent.
 * - `feePercent`: of the whole debit; "0.5" is half a percent.
 * - `feeFixed`: by sold currency, in addition to the percentage. The list is set as a whole; a currency that is missing
 *   has none.
 */
export const exchangeSettings = z.object({
  spreadBps: z.number().int().min(0).max(5_000).default(0),
  feePercent: feePercent().default('0'),
  feeFixed: fixedFees().default([]),
});

export type ExchangeSettings = z.infer<typeof exchangeSettings>;

export const exchangeSettingsSection = { name: 'exchange', schema: exchangeSettings };
