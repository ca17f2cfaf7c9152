import { z } from 'zod';
import type { Decimal } from '../../kernel/money/money';
import { feePercent, fixedFeeIn, fixedFees } from '../../kernel/wire/fees';
import { typedDecimal } from '../../kernel/wire/schemas';
import { thresholds } from '../approval/settings';
import { chargeOf } from '../fee-schedule';

const APPROVAL = ['USD', 'EUR', 'GBP'].map((code) => ({ currency: code, amount: '10000.00' }));

const order = z.object({
  /** Of the amount: "0.5" is half a percent. It is taken out of the amount, in proportion to what is sold. */
  feePercent: typedDecimal().default('0'),
});

const withdrawal = z.object({
  /** By the currency of the account; null until it is set: then `feeFixed` counts. */
  fees: fixedFees().nullable().default(null),
  /** What was charged in every currency alike before there were `fees`. */
  feeFixed: typedDecimal().default('0'),
  /** Of the amount: "0.5" is 0.5 %. */
  feePercent: typedDecimal().default('0'),
  /**
   * A withdrawal whose whole debit is above this waits for an operator; in a currency that is not listed every withdrawal
   * does. What takes the sum of a day above `approvals.aboveDaily` waits, too.
   */
  approvalAbove: thresholds().default(APPROVAL),
});

/**
 * A tenant's settings of orders and withdrawals as they are kept and charged, beside those of exchanges between its accounts.
 * The release before reads `feeFixed`, which is one decimal, and refuses anything else: it stays as it was beside the list,
 * until that release runs nowhere (docs/contributing.md).
 */
export const keptExchangePartySettings = z.object({
  order: order.prefault({}),
  withdrawal: withdrawal.prefault({}),
});

/** What the operator can set them to. What was kept before there were bounds need not be within them. */
export const exchangePartySettings = z.object({
  order: order.extend({ feePercent: feePercent() }),
  withdrawal: withdrawal.extend({
    fees: fixedFees(),
    feeFixed: z.never({ error: 'must not be set any more: exchange.withdrawal.fees is a list by currency' }),
    feePercent: feePercent(),
  }),
});

export const exchangePartySection = { name: 'exchange', schema: keptExchangePartySettings };

/** What the withdrawal of an amount costs, in the currency of both: the fixed part and the percentage, each to its minor unit. */
export function withdrawalFee(
  amount: Decimal,
  currency: string,
  { fees, feeFixed, feePercent: percent }: z.infer<typeof withdrawal>,
): Decimal {
  const fixed = fees ? fixedFeeIn(fees, currency).toFixed() : feeFixed;
  return chargeOf(amount, currency, { feeFixed: fixed, feePercent: percent });
}
