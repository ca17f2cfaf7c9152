import { conflict } from '../kernel/errors';
import { Decimal, roundTo } from '../kernel/money/money';
import { assertFits } from '../kernel/wire/schemas';

/** What an amount may be, both bounds included, and what it costs; all in its own currency. */
export interface FeeSchedule {
  min: string;
  max: string;
  feeFixed: string;
  /** Of the amount: "1.5" is 1.5 %. */
  feePercent: string;
}

/** @throws Problem 400 for too many decimals, 409 `limit_exceeded` */
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
 * `percent` of an amount as a fee, rounded up to the minor unit, because a fee that could round to zero would be avoided by
 * dividing an amount.
 */
export const percentFee = (amount: Decimal, percent: Decimal, currency: string): Decimal =>
  roundTo(amount.times(percent).dividedBy(100), currency, Decimal.ROUND_UP);

/** What an amount costs, whatever it is. */
export const chargeOf = (
  amount: Decimal,
  currency: string,
  { feeFixed, feePercent }: Pick<FeeSchedule, 'feeFixed' | 'feePercent'>,
): Decimal =>
  roundTo(new Decimal(feeFixed), currency).plus(percentFee(amount, new Decimal(feePercent), currency));
