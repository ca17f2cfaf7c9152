import { z } from 'zod';
import { currency, decimalText } from '../../kernel/wire/schemas';
import { PAYOUT_METHODS } from '../../parties/payouts/port';
import { thresholds } from '../approval/settings';

/** A payout option of a tenant. Amounts are in `currency`, which the destination receives. */
const option = z.strictObject({
  method: z.enum(PAYOUT_METHODS),
  currency: currency(),
  /** Bounds of the received amount, both included. */
  min: decimalText(),
  max: decimalText(),
  feeFixed: decimalText(),
  /** 0.5 is 0.5 %. */
  feePercent: decimalText(),
});

export type PayoutOption = z.infer<typeof option>;

const terms = (
  method: PayoutOption['method'],
  [min, max]: [string, string],
  [feeFixed, feePercent]: [string, string],
  currencies: string[],
): PayoutOption[] => currencies.map((code) => ({ method, currency: code, min, max, feeFixed, feePercent }));

const OPTIONS: PayoutOption[] = [
  ...terms('sepa', ['1.00', '1000000.00'], ['0.35', '0'], ['EUR']),
  ...terms('swift', ['50.00', '5000000.00'], ['15.00', '0.1'], ['USD', 'EUR', 'GBP']),
  ...terms('card', ['5.00', '10000.00'], ['0.50', '1'], ['USD', 'EUR', 'GBP']),
  ...terms('crypto', ['10.00', '500000.00'], ['1.00', '0.5'], ['USDT', 'USDC']),
];

/**
 * Payout settings of a tenant's accounts. Each list is set as a whole.
 *
 * `approvalAbove`: an operator approves each payout whose whole debit is above, and every one in an unlisted
 * currency. See also `approvals.aboveDaily`.
 */
export const payoutSettings = z.object({
  options: z.array(option).default(OPTIONS),
  approvalAbove: thresholds(),
});

export const payoutSettingsSection = { name: 'payouts', schema: payoutSettings };
