import type { z } from 'zod';
import { invalid } from '../../kernel/errors';
import { Decimal, formatAmount, roundTo } from '../../kernel/money/money';
import type { PayoutMethod } from '../../parties/payouts/port';
import { percentFee } from '../fee-schedule';
import type { quotedTerms } from './record';
import type { PayoutOption } from './settings';

/** What a payout costs and brings. */
export type PayoutPrice = Omit<z.output<typeof quotedTerms>, 'method'>;

/**
 * The terms that a quote asks for. Without a currency it is the account's, or the only one of the method.
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
 * Prices a payout: what is received is rounded down to its minor unit; the fixed fee, which is in the received currency,
 * is converted at the same rate; both parts of the fee are rounded up.
 * @param rate of the terms' currency for one of the account's
 * @throws Problem 400 naming `amount` when what is received is nothing, or outside of the terms
 */
export function priceOf(
  terms: PayoutOption,
  { amount, currency, rate }: { amount: Decimal; currency: string; rate: Decimal },
): PayoutPrice {
  const receivedAmount = roundTo(amount.times(rate), terms.currency, Decimal.ROUND_DOWN);
  if (receivedAmount.isZero())
    throw invalid(`amount must bring some ${terms.currency}: it brings none.`, 'amount');
  if (receivedAmount.lt(terms.min) || receivedAmount.gt(terms.max)) {
    const [min, max] = [terms.min, terms.max].map((bound) =>
      formatAmount(new Decimal(bound), terms.currency),
    );
    throw invalid(`amount must bring from ${min} to ${max} ${terms.currency}.`, 'amount');
  }
  const fixed = roundTo(new Decimal(terms.feeFixed).dividedBy(rate), currency, Decimal.ROUND_UP);
  const fee = fixed.plus(percentFee(amount, new Decimal(terms.feePercent), currency));
  return { amount, fee, receivedAmount, receivedCurrency: terms.currency, rate };
}
