import { Decimal } from 'decimal.js';
import { decimalsOf } from './currencies';

// An amount of 15 integer digits and 18 decimals stays exact when it is multiplied by a rate.
Decimal.set({ precision: 60, rounding: Decimal.ROUND_HALF_UP, toExpNeg: -60, toExpPos: 60 });

export { Decimal };

/** A decimal string without sign or exponent, with at most 15 integer digits and 18 decimals. */
export const DECIMAL_TEXT = /^\d{1,15}(\.\d{1,18})?$/;

export const ZERO = new Decimal(0);
const HUNDREDTH = new Decimal('0.01');

/** Formats an amount for the wire, with every minor-unit digit of the currency (`"100.00"`). */
export function formatAmount(amount: Decimal, currency: string): string {
  return amount.toFixed(decimalsOf(currency));
}

/** Formats an amount with its currency, for people: `100.00 EUR`. */
export const moneyText = ({ amount, currency }: { amount: Decimal; currency: string }): string =>
  `${formatAmount(amount, currency)} ${currency}`;

/** Formats amounts of one currency, each by {@link formatAmount}. */
export function formatAmounts<Name extends string>(
  amounts: Record<Name, Decimal>,
  currency: string,
): Record<Name, string> {
  const texts = Object.entries<Decimal>(amounts).map(([name, each]) => [name, formatAmount(each, currency)]);
  return Object.fromEntries(texts) as Record<Name, string>;
}

/** Rounds to the currency's minor unit, half up by default. */
export function roundTo(
  amount: Decimal,
  currency: string,
  rounding: Decimal.Rounding = Decimal.ROUND_HALF_UP,
): Decimal {
  return amount.toDecimalPlaces(decimalsOf(currency), rounding);
}

/** Significant digits of a rate, because the smallest currency is worth a billionth of the largest. */
const RATE_DIGITS = 15;

/** Rounds a rate to the fifteen significant digits in which it is used and stored, half up by default. */
export function toRate(rate: Decimal, rounding: Decimal.Rounding = Decimal.ROUND_HALF_UP): Decimal {
  return rate.toSignificantDigits(RATE_DIGITS, rounding);
}

/** Whether the amount has no more decimals than the currency. */
export function fitsCurrency(amount: Decimal, currency: string): boolean {
  return amount.decimalPlaces() <= decimalsOf(currency);
}

/** `percent` of an amount, rounded half up to the minor unit: 0.5 percent of 100.00 USD is 0.50. */
export function percentOf(amount: Decimal, percent: Decimal, currency: string): Decimal {
  return roundTo(amount.times(percent).times(HUNDREDTH), currency);
}

/**
 * The proportional share of `held` for a part of `remaining`, rounded down. The last part takes the exact rest, so that
 * the shares sum to `held`.
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

/** Sums amounts by currency. */
export const byCurrency = (
  all: readonly { currency: string; amount: Decimal }[],
): { currency: string; amount: Decimal }[] =>
  [...new Set(all.map(({ currency }) => currency))].map((currency) => ({
    currency,
    amount: sumOf(all.filter((money) => money.currency === currency)),
  }));

export const sumOf = (parts: readonly { amount: Decimal }[]): Decimal =>
  parts.reduce((total, { amount }) => total.plus(amount), ZERO);
