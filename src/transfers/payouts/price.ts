import type { z } from 'zod';
import { invalid } from '../../kernel/errors';
import { Decimal, formatAmount, roundTo } from '../../kernel/money/money';
import type { PayoutMethod } from '../../parties/payouts/port';
import { percentFee } from '../fee-schedule';
import type { quotedTerms } from './record';
import type { PayoutOption } from './settings';

/** Costs and received amount of a payout. */
export type PayoutPrice = Omit<z.output<typeof quotedTerms>, 'method'>;

/**
 * Chooses the terms of a quote. Without a currency, the terms in the account's currency, or the only terms of the
 * method.
 * @throws Problem 400 naming `method` or `currency`
 */
export function termsFor(
  options: PayoutOption[],
  method: PayoutMethod,
  accountCurrency: string,
  asked: string | undefined,
): PayoutOption {
  const offered = options.filter((each) => each.method === method);
  if (offered.length === 0) throw invalid(`method ${method} is not among your payout options.`, 'method');
  const found = offered.find(({ currency }) => currency === (asked ?? accountCurrency));
  const [only] = offered;
  if (found) return found;
  if (asked === undefined && only && offered.length === 1) return only;
  const currencies = offered.map(({ currency }) => currency).join(', ');
  throw invalid(`currency must be one of ${currencies} for ${method}.`, 'currency');
}

/**
 * Prices a payout. The received amount is rounded down to its minor unit. The fixed fee is in the received currency
 * and converted at the same rate. Both parts of the fee are rounded up.
 * @param rate units of the terms' currency for one unit of the account's
 * @throws Problem 400 naming `amount` when the received amount is zero, or outside of the terms
 */
export function priceOf(
  terms: PayoutOption,
  { amount, currency, rate }: { amount: Decimal; currency: string; rate: Decimal },
): PayoutPrice {
  const receivedAmount = roundTo(amount.times(rate), terms.currency, Decimal.ROUND_DOWN);
  if (receivedAmount.isZero())
    throw invalid(`amount is too small: the destination would receive no ${terms.currency}.`, 'amount');
  if (receivedAmount.lt(terms.min) || receivedAmount.gt(terms.max)) {
    const [min, max] = [terms.min, terms.max].map((bound) =>
      formatAmount(new Decimal(bound), terms.currency),
    );
    throw invalid(`amount must give the destination from ${min} to ${max} ${terms.currency}.`, 'amount');
  }
  const fixed = roundTo(new Decimal(terms.feeFixed).dividedBy(rate), currency, Decimal.ROUND_UP);
  const fee = fixed.plus(percentFee(amount, new Decimal(terms.feePercent), currency));
  return { amount, fee, receivedAmount, receivedCurrency: terms.currency, rate };
}
