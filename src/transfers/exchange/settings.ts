import { z } from 'zod';
import { CURRENCIES, isFiat } from '../../kernel/money/currencies';
import { DECIMAL_TEXT, Decimal, formatAmount, roundTo } from '../../kernel/money/money';
import { type FixedFees, feePercent, fixedFees } from '../../kernel/wire/fees';
import { typedDecimal } from '../../kernel/wire/schemas';
import { thresholds } from '../approval/settings';

const APPROVAL = ['USD', 'EUR', 'GBP'].map((code) => ({ currency: code, amount: '10000.00' }));

const settings = (percent: () => ReturnType<typeof typedDecimal>) =>
  z.object({
    order: z
      .object({
        /** Of the amount: "0.5" is half a percent. It is taken out of the amount, in proportion to what is sold. */
        feePercent: percent().default('0'),
      })
      .prefault({}),
    withdrawal: z
      .object({
        /** By the currency of the account. */
        feeFixed: fixedFees().default([]),
        /** Of the amount: "0.5" is 0.5 %. */
        feePercent: percent().default('0'),
        /**
         * A withdrawal whose whole debit is above this waits for an operator; in a currency that is not listed every withdrawal
         * does. What takes the sum of a day above `approvals.aboveDaily` waits, too.
         */
        approvalAbove: thresholds().default(APPROVAL),
      })
      .prefault({}),
  });

/** What the operator can set for a tenant's orders and withdrawals: beside what is set for exchanges between its accounts. */
export const exchangePartySettings = settings(feePercent);

/**
 * The same as it is kept. Until the fees of withdrawals were listed by currency, one amount stood for all of them, and no
 * percentage had a bound: such settings are read as they were charged, and are of the present shape once they are set anew.
 */
export const keptExchangePartySettings = settings(typedDecimal);

export const exchangePartySection = {
  name: 'exchange',
  schema: z.preprocess(withListedFees, keptExchangePartySettings),
};

/** The `exchange` settings as they are kept, whatever else is in them, for {@link keptExchangePartySettings}. */
export function withListedFees(kept: unknown): unknown {
  if (!isObject(kept) || !isObject(kept['withdrawal'])) return kept;
  const { feeFixed } = kept['withdrawal'];
  if (typeof feeFixed !== 'string' && typeof feeFixed !== 'number') return kept;
  return { ...kept, withdrawal: { ...kept['withdrawal'], feeFixed: listed(String(feeFixed)) } };
}

/** In every currency that a destination may have, rounded to it. */
function listed(text: string): FixedFees | string {
  if (!DECIMAL_TEXT.test(text)) return text;
  const fee = new Decimal(text);
  return CURRENCIES.filter(isFiat).flatMap((currency) => {
    const amount = roundTo(fee, currency);
    return amount.isZero() ? [] : [{ currency, amount: formatAmount(amount, currency) }];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
