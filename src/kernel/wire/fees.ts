import { z } from 'zod';
import { isCurrency } from '../money/currencies';
import { Decimal, fitsCurrency, ZERO } from '../money/money';
import { currency, decimalText, typedDecimal } from './schemas';

/** A fee in percent of an amount, at least 0 and less than 100: "0.5" is half a percent. */
export const feePercent = () =>
  typedDecimal().refine((text) => new Decimal(text).lt(100), 'must be less than 100');

/** Fixed fees by currency, as a list that is replaced as a whole. An unlisted currency has no fee. */
export const fixedFees = () =>
  z.array(
    z
      .strictObject({ currency: currency(), amount: decimalText() })
      .refine(({ currency: code, amount }) => !isCurrency(code) || fitsCurrency(new Decimal(amount), code), {
        path: ['amount'],
        message: 'must have no more decimals than its currency',
      }),
  );

export type FixedFees = z.output<ReturnType<typeof fixedFees>>;

/** The fixed fee in a currency, zero when it is not listed. */
export function fixedFeeIn(fees: FixedFees, wanted: string): Decimal {
  const found = fees.find((fee) => fee.currency === wanted);
  return found === undefined ? ZERO : new Decimal(found.amount);
}
