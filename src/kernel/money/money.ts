import { Decimal } from 'decimal.js';
import { decimalsOf } from './currencies';

// 15 integer digits and 18 decimals must survive a multiplication by a rate.
Decimal.set({ precision: 60, rounding: Decimal.ROUND_HALF_UP, toExpNeg: -60, toExpPos: 60 });

export { Decimal };

/** A decimal string without sign or exponent: 15 integer digits at most, and as many decimals as any currency has. */
export const DECIMAL_TEXT = /^\d{1,15}(\.\d{1,18})?$/;

export const ZERO = new Decimal(0);
const HUNDREDTH = new Decimal('0.01');

/** An amount as the wire writes it: every minor-unit digit of the currency (`"100.00"`). */
export function formatAmount(amount: Decimal, currency: string): string {
  return amount.toFixed(decimalsOf(currency));
}

/** Rounds half up to the currency's minor unit. */
export function roundTo(
  amount: Decimal,
  currency: string,
  rounding: Decimal.Rounding = Decimal.ROUND_HALF_UP,
): Decimal {
  return amount.toDecimalPlaces(decimalsOf(currency), rounding);
}

/** Digits of a rate that count, wherever its point stands: the least of currencies is worth a billionth of the dearest. */
const RATE_DIGITS = 15;

/** A rate as it is dealt on and kept: fifteen significant digits, half up when nothing else is said. */
export function toRate(rate: Decimal, rounding: Decimal.Rounding = Decimal.ROUND_HALF_UP): Decimal {
  return rate.toSignificantDigits(RATE_DIGITS, rounding);
}

/** Whether the amount has no more decimals than the currency. */
export function fitsCurrency(amount: Decimal, currency: string): boolean {
  return amount.decimalPlaces() <= decimalsOf(currency);
}

/** `percent` of an amount, rounded half up to the minor unit: 0.5 of 100.00 USD is 0.50. */
export function percentOf(amount: Decimal, percent: Decimal, currency: string): Decimal {
  return roundTo(amount.times(percent).times(HUNDREDTH), currency);
}

/**
 * The share of `held` that a part takes: in proportion, and the exact rest when the part is all that remains.
 * Repeated over parts it ends at zero to the last minor unit.
 */
export function shareOf(held: Decimal, part: Decimal, remaining: Decimal, currency: string): Decimal {
  if (part.gte(remaining)) return held;
  return roundTo(held.times(part).dividedBy(remaining), currency, Decimal.ROUND_DOWN);
}

export function minOf(a: Decimal, b: Decimal): Decimal {
  return a.lt(b) ? a : b;
}

export function maxOf(a: Decimal, b: Decimal): Decimal {
  return a.gt(b) ? a : b;
}

/** Sums of amounts, one of each currency that there is. */
export const byCurrency = (
  all: readonly { currency: string; amount: Decimal }[],
): { currency: string; amount: Decimal }[] =>
  [...new Set(all.map(({ currency }) => currency))].map((currency) => ({
    currency,
    amount: sumOf(all.filter((money) => money.currency === currency)),
  }));

export const sumOf = (parts: readonly { amount: Decimal }[]): Decimal =>
  parts.reduce((total, { amount }) => total.plus(amount), ZERO);
