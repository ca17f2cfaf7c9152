import { conflict, invalid } from '../../../kernel/errors';
import { Decimal, fitsCurrency, roundTo } from '../../../kernel/money/money';
import type { Programme } from '../../programmes/record';
import type { Chain } from '../record';
import type { Board } from './board';

const ONE = new Decimal(1);
/** Digits of a rate that are kept. */
const RATE_DECIMALS = 12;
/** The most that one message may come to, in the card's currency: what the wire allows an amount to be. */
const MOST = new Decimal('999999999999999');

/** Billing per unit: the current rate with the programme's markup on top, or 1 in the card's own currency. */
export function billingRate(
  board: Board,
  currency: string,
  billingCurrency: string,
  programme: Programme,
): Decimal {
  if (currency === billingCurrency) return ONE;
  const markup = programme.markupPercent.dividedBy(100).plus(1);
  return board.rate(currency, billingCurrency).times(markup).toDecimalPlaces(RATE_DECIMALS);
}

/** What an amount comes to in the card's currency. */
export function toBilling(amount: Decimal, rate: Decimal, billingCurrency: string): Decimal {
  const billing = roundTo(amount.times(rate), billingCurrency);
  if (billing.gt(MOST))
    throw conflict('limit_exceeded', 'The amount is too large in the currency of the card.', 'amount');
  return billing;
}

/**
 * The currency of a message: its chain's, which a given one must equal; else the given one; else the card's.
 * @throws Problem 400 naming the field
 */
export function currencyOfMessage(
  message: { amount?: Decimal; currency?: string },
  chain: Chain | undefined,
  cardCurrency: string,
): string {
  const currency = chain?.currency ?? message.currency ?? cardCurrency;
  if (message.currency !== undefined && message.currency !== currency) {
    throw invalid(`currency must be the authorization's, ${currency}.`, 'currency');
  }
  if (message.amount && !fitsCurrency(message.amount, currency)) {
    throw invalid(`amount has more decimals than ${currency} allows.`, 'amount');
  }
  return currency;
}
