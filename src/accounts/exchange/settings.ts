import { z } from 'zod';
import { feePercent, fixedFees } from '../../kernel/wire/fees';

/**
 * What a tenant pays for exchanges between its accounts, as the operator sets it. Nothing unless it is set.
 * `spreadBps`: basis points by which the tenant's rate is below the bid; 25 is a quarter of a percent.
 * `feePercent`: of the whole debit; "0.5" is half a percent.
 * `feeFixed`: by the currency that is sold, on top of the percentage; a list, set whole. A currency that is not listed has none.
 */
export const exchangeSettings = z.object({
  spreadBps: z.number().int().min(0).max(5_000).default(0),
  feePercent: feePercent().default('0'),
  feeFixed: fixedFees().default([]),
});

export type ExchangeSettings = z.infer<typeof exchangeSettings>;

export const exchangeSettingsSection = { name: 'exchange', schema: exchangeSettings };
