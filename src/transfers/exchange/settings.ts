import { z } from 'zod';
import type { Decimal } from '../../kernel/money/money';
import { feePercent, fixedFeeIn, fixedFees } from '../../kernel/wire/fees';
import { thresholds } from '../approval/settings';
import { chargeOf } from '../fee-schedule';

const order = z.object({
  /** Percentage of the amount: "0.5" is 0.5 %. Taken out of the amount, in proportion to the sold part. */
  feePercent: feePercent().default('0'),
});

const withdrawal = z.object({
  /** By the currency of the account. */
  fees: fixedFees().default([]),
  /** Percentage of the amount: "0.5" is 0.5 %. */
  feePercent: feePercent().default('0'),
  /**
   * Thresholds by currency. An operator approves each withdrawal whose whole debit is above, and every one in an
   * unlisted currency. See also `approvals.aboveDaily`.
   */
  approvalAbove: thresholds(),
});

/** A tenant's settings of orders and withdrawals. Settings of exchanges between its accounts are elsewhere. */
export const exchangePartySettings = z.object({
  order: order.prefault({}),
  withdrawal: withdrawal.prefault({}),
});

export const exchangePartySection = { name: 'exchange', schema: exchangePartySettings };

/** The fee of a withdrawal: the fixed part and the percentage, each rounded to the minor unit of its currency. */
export const withdrawalFee = (
  amount: Decimal,
  currency: string,
  { fees, feePercent: percent }: z.infer<typeof withdrawal>,
): Decimal =>
  chargeOf(amount, currency, { feeFixed: fixedFeeIn(fees, currency).toFixed(), feePercent: percent });
