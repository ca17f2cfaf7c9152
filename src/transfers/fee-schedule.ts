import { conflict } from '../kernel/errors';
import { Decimal, roundTo } from '../kernel/money/money';
import { assertFits } from '../kernel/wire/schemas';

/** Bounds of an amount, both included, and its fee. All in the currency of the amount. */
export interface FeeSchedule {
  min: string;
  max: string;
  feeFixed: string;
  /** Percentage of the amount: "1.5" is 1.5 %. */
  feePercent: string;
}

/** The fee of an amount. @throws Problem 400 for too many decimals, 409 `limit_exceeded` */
export function feeOf(
  amount: Decimal,
  currency: string,
  { min, max, feeFixed, feePercent }: FeeSchedule,
): Decimal {
  assertFits(amount, currency);
  if (amount.lt(min) || amount.gt(max))
    throw conflict('limit_exceeded', `amount must be from ${min} to ${max} ${currency}.`, 'amount');
  return chargeOf(amount, currency, { feeFixed, feePercent });
}

/**
 * A percentage fee, rounded up to the minor unit. Otherwise dividing an amount into small parts would avoid the fee.
 */
export const percentFee = (amount: Decimal, percent: Decimal, currency: string): Decimal =>
  roundTo(amount.times(percent).dividedBy(100), currency, Decimal.ROUND_UP);

/** The fee of an amount, without checking the bounds. */
export const chargeOf = (
  amount: Decimal,
  currency: string,
  { feeFixed, feePercent }: Pick<FeeSchedule, 'feeFixed' | 'feePercent'>,
): Decimal =>
  roundTo(new Decimal(feeFixed), currency).plus(percentFee(amount, new Decimal(feePercent), currency));
