import { z } from 'zod';
import { isCurrency } from '../money/currencies';
import { Decimal, fitsCurrency, ZERO } from '../money/money';
import { currency, decimalText, typedDecimal } from './schemas';

/** A fee in per cent of an amount: "0.5" is half a percent. From 0 to less than 100. */
export const feePercent = () =>
  typedDecimal().refine((text) => new Decimal(text).lt(100), 'must be less than 100');

/** What is charged by currency, each in its own; a list, set whole. A currency that is not listed has none. */
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

/** What is charged in that currency; zero where none is listed. */
export function fixedFeeIn(fees: FixedFees, wanted: string): Decimal {
  const found = fees.find((fee) => fee.currency === wanted);
  return found === undefined ? ZERO : new Decimal(found.amount);
}
