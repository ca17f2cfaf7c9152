import { z } from 'zod';
import type { Decimal } from '../../kernel/money/money';
import { feePercent, fixedFeeIn, fixedFees } from '../../kernel/wire/fees';
import { thresholds } from '../approval/settings';
import { chargeOf } from '../fee-schedule';

const order = z.object({
  /** Of the amount: "0.5" is half a percent. It is taken out of the amount, in proportion to what is sold. */
  feePercent: feePercent().default('0'),
});

const withdrawal = z.object({
  /** By the currency of the account. */
  fees: fixedFees().default([]),
  /** Of the amount: "0.5" is 0.5 %. */
  feePercent: feePercent().default('0'),
  /**
   * A withdrawal whose whole debit is above this waits for an operator; in a currency that is not listed every withdrawal
   * does. What takes the sum of a day above `approvals.aboveDaily` waits, too.
   */
  approvalAbove: thresholds(),
});

/** A tenant's settings of orders and withdrawals, beside those of exchanges between its accounts. */
export const exchangePartySettings = z.object({
  order: order.prefault({}),
  withdrawal: withdrawal.prefault({}),
});

export const exchangePartySection = { name: 'exchange', schema: exchangePartySettings };

/** What the withdrawal of an amount costs, in the currency of both: the fixed part and the percentage, each to its minor unit. */
export const withdrawalFee = (
  amount: Decimal,
  currency: string,
  { fees, feePercent: percent }: z.infer<typeof withdrawal>,
): Decimal =>
  chargeOf(amount, currency, { feeFixed: fixedFeeIn(fees, currency).toFixed(), feePercent: percent });
