import { Decimal, roundTo, sumOf, ZERO } from '../../../kernel/money/money';
import type { ExchangeOrderWord } from '../../../parties/exchange/word';
import type { ExchangeOrder, ExchangeOrderTerms } from './record';

/** What was sold, and what was bought for it, each in its currency. */
export interface Deal {
  sold: Decimal;
  bought: Decimal;
}

export const NO_DEAL: Deal = { sold: ZERO, bought: ZERO };

/** What the exchange is to sell: the amount less the fee. */
export const orderedOf = ({ amount, fee }: Pick<ExchangeOrderTerms, 'amount' | 'fee'>): Decimal =>
  amount.minus(fee);

/** All that the party has dealt, whoever's it is. */
export const dealtIn = (word: ExchangeOrderWord | null): Deal => ({
  sold: sumOf((word?.fills ?? []).map(({ sold: amount }) => ({ amount }))),
  bought: sumOf((word?.fills ?? []).map(({ bought: amount }) => ({ amount }))),
});

/**
 * Of what the party has dealt, what was ordered: of more than that, so much at the price of the whole. Nothing of what was
 * given for nothing.
 */
export function orderedDeal(terms: ExchangeOrderTerms, word: ExchangeOrderWord | null): Deal {
  const { sold, bought } = dealtIn(word);
  const ordered = orderedOf(terms);
  if (sold.isZero()) return NO_DEAL;
  if (sold.lte(ordered)) return { sold, bought };
  const share = roundTo(bought.times(ordered).dividedBy(sold), terms.toCurrency, Decimal.ROUND_DOWN);
  return { sold: ordered, bought: share };
}

/** `dealt`: over, and for the client. `failed`: over, and nothing of it is the client's. `incoherent`: failed, and yet dealt. */
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

/** The deal is over, and as it was ordered: it waits for the settlement, or has been released. */
export const dealOf = ({ transfer: { terms, word } }: Pick<ExchangeOrder, 'transfer'>): Deal | undefined =>
  word !== null && outcomeOf(terms, word) === 'dealt' ? orderedDeal(terms, word) : undefined;
