import { conflict, invalid, unavailable } from '../../../../kernel/errors';
import { Decimal, fitsCurrency, roundTo, toRate, ZERO } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import type { Authorization, Merchant, ProcessorMessage } from '../../record';
import type { Board } from '../board';

const ONE = new Decimal(1);
/** The largest amount of one message in the card's currency; also the largest that the wire allows. */
const MAX_BILLING = new Decimal('999999999999999');

/** An amount that is spent, in its own currency and in the card's currency. */
export interface Spend {
  amount: Decimal;
  currency: string;
  /** Billing amount per unit of the currency. */
  rate: Decimal;
  billing: Decimal;
  merchant?: Merchant;
}

/**
 * Converts the amount of a message at its authorization's rate, or at the present rate when it has none.
 * @throws Problem 400 naming the field, 503 without a fresh rate, 409 `limit_exceeded`
 */
export function spendOf(
  board: Board,
  card: Card,
  message: ProcessorMessage,
  amount: Decimal,
  authorization?: Authorization,
): Spend {
  const currency = currencyOfMessage(message, authorization, card.currency);
  const rate = authorization?.rate ?? billingRate(board, card, currency);
  if (!rate) throw unavailable(`There is no rate from ${currency} to ${card.currency} now.`); // a rate may come later
  const billing = roundTo(amount.times(rate), card.currency);
  if (billing.gt(MAX_BILLING))
    throw conflict('limit_exceeded', 'The amount is too large in the currency of the card.', 'amount');
  return { amount, currency, rate, billing, merchant: message.merchant };
}

/** Converts a declined amount. Without a rate, or above the largest amount, the billing amount is zero. */
export function spendOfDeclined(board: Board, card: Card, { amount, currency, merchant }: Declined): Spend {
  const rate = billingRate(board, card, currency) ?? ZERO;
  const billing = roundTo(amount.times(rate), card.currency);
  const told = billing.gt(MAX_BILLING) ? { rate: ZERO, billing: ZERO } : { rate, billing };
  return { amount, currency, ...told, ...(merchant ? { merchant } : {}) };
}

type Declined = Pick<Spend, 'amount' | 'currency' | 'merchant'>;

/** Whether there is a present rate for a currency. */
export const isConvertible = (board: Board, card: Card, currency: string): boolean =>
  currency === card.currency || board.rate(currency, card.currency) !== undefined;

/**
 * The present rate with the programme's markup; 1 in the card's own currency; undefined when there is no fresh rate.
 */
function billingRate(board: Board, card: Card, currency: string): Decimal | undefined {
  if (currency === card.currency) return ONE;
  const markup = board.programme(card.bin).markupPercent.dividedBy(100).plus(1);
  const rate = board.rate(currency, card.currency);
  return rate && toRate(rate.times(markup));
}

/**
 * The currency of a message: its authorization's, else the given one, else the card's.
 * @throws Problem 400 for a given currency other than the authorization's, or an amount with too many decimals
 */
export function currencyOfMessage(
  message: { amount?: Decimal; currency?: string },
  authorization: Authorization | undefined,
  cardCurrency: string,
): string {
  const currency = authorization?.currency ?? message.currency ?? cardCurrency;
  if (message.currency !== undefined && message.currency !== currency) {
    throw invalid(`currency must be the authorization's, ${currency}.`, 'currency');
  }
  if (message.amount && !fitsCurrency(message.amount, currency)) {
    throw invalid(`amount has more decimals than ${currency} allows.`, 'amount');
  }
  return currency;
}
