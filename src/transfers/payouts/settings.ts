import { z } from 'zod';
import { currency, decimalText } from '../../kernel/wire/schemas';
import { PAYOUT_METHODS } from '../../parties/payouts/port';
import { thresholds } from '../approval/settings';

/** One way out of a tenant's accounts. All amounts are in `currency`, which is what the destination receives. */
const option = z.strictObject({
  method: z.enum(PAYOUT_METHODS),
  currency: currency(),
  /** Bounds of the received amount, both included. */
  min: decimalText(),
  max: decimalText(),
  feeFixed: decimalText(),
  /** 0.5 is half a percent. */
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
 * The payouts of a tenant's accounts, as the operator sets them: lists, each set whole.
 * `approvalAbove`: a payout whose whole debit is above this waits for an operator; in an account's currency that is not
 * listed every payout does. What takes the sum of a day above `approvals.aboveDaily` waits, too.
 */
export const payoutSettings = z.object({
  options: z.array(option).default(OPTIONS),
  approvalAbove: thresholds(),
});

export const payoutSettingsSection = { name: 'payouts', schema: payoutSettings };
