import { Decimal, roundTo, sumOf, ZERO } from '../../../kernel/money/money';
import type { ExchangeOrderWord } from '../../../parties/exchange/word';
import type { ExchangeOrder, ExchangeOrderTerms } from './record';

/** The sold and the bought amount, each in its currency. */
export interface Deal {
  sold: Decimal;
  bought: Decimal;
}

export const NO_DEAL: Deal = { sold: ZERO, bought: ZERO };

/** The amount that the exchange is to sell: the order's amount less the fee. */
export const orderedOf = ({ amount, fee }: Pick<ExchangeOrderTerms, 'amount' | 'fee'>): Decimal =>
  amount.minus(fee);

/** The sum of the party's fills. */
export const dealtIn = (word: ExchangeOrderWord | null): Deal => ({
  sold: sumOf((word?.fills ?? []).map(({ sold: amount }) => ({ amount }))),
  bought: sumOf((word?.fills ?? []).map(({ bought: amount }) => ({ amount }))),
});

/** The ordered part of the fills. When more was sold than ordered: the ordered amount, at the average price. */
export function orderedDeal(terms: ExchangeOrderTerms, word: ExchangeOrderWord | null): Deal {
  const { sold, bought } = dealtIn(word);
  const ordered = orderedOf(terms);
  if (sold.isZero()) return NO_DEAL;
  if (sold.lte(ordered)) return { sold, bought };
  const share = roundTo(bought.times(ordered).dividedBy(sold), terms.toCurrency, Decimal.ROUND_DOWN);
  return { sold: ordered, bought: share };
}

/**
 * `dealt`: over, and as ordered. `failed`: over, and not as ordered. `incoherent`: the status says failed, but there
 * are fills.
 */
export type Outcome = 'open' | 'dealt' | 'failed' | 'incoherent';

export function outcomeOf(terms: ExchangeOrderTerms, word: ExchangeOrderWord): Outcome {
  if (word.status === 'open') return 'open';
  const { sold, bought } = dealtIn(word);
  const isNothing = sold.isZero() && bought.isZero();
  if (word.status === 'failed') return isNothing ? 'failed' : 'incoherent';
  return isAsOrdered(terms, orderedDeal(terms, word)) ? 'dealt' : 'failed';
}

function isAsOrdered(terms: ExchangeOrderTerms, { sold, bought }: Deal): boolean {
  const { minReceive } = terms;
  if (sold.isZero() || bought.isZero()) return false;
  return minReceive === null || (sold.eq(orderedOf(terms)) && bought.gte(minReceive));
}

/** The deal of an order that is over and as ordered. It waits for settlement, or has been released. */
export const dealOf = ({ transfer: { terms, word } }: Pick<ExchangeOrder, 'transfer'>): Deal | undefined =>
  word !== null && outcomeOf(terms, word) === 'dealt' ? orderedDeal(terms, word) : undefined;
