import { Decimal } from '../../../kernel/money/money';
import type { ExchangeOrderWord } from '../../../parties/exchange/word';
import { plainCode } from '../../../parties/protocol/codes';
import type { Money } from '../../engine/books/inflow';
import type { Order } from '../../engine/kind';
import { first, refusalOf } from '../../engine/record';
import { dealtIn, type Outcome, outcomeOf } from './deal';
import { type ExchangeOrder, type ExchangeOrderStatus, type ExchangeOrderTrigger, isFinal } from './record';
import { isReleased, unreleased } from './release';

/** Pure rules of an order: terms, word and decisions in; status, orders and conclusions out. */

/**
 * Whether a settlement check may release the order. The deal is over, and no release covers what the party owes for
 * it. For a deal that was not as ordered, the release only records the payment.
 */
export function awaitsPayment(order: ExchangeOrder): boolean {
  const { terms, word, status } = order.transfer;
  if (word === null || !unreleased(order).gt(0)) return false;
  return status === 'awaiting_settlement' || isNobodys(outcomeOf(terms, word));
}

/** The deal was not as ordered, so it stands in suspense. */
const isNobodys = (outcome: Outcome): boolean => outcome === 'failed' || outcome === 'incoherent';

/** Whether decisions ended the order before the party had it. */
export const isCalledOff = (order: ExchangeOrder): boolean =>
  first(order, 'cancel') !== undefined || refusalOf(order, order.transfer.id) !== undefined;

// Status ------------------------------------------------------------------------------------------------------------

export function trigger(order: ExchangeOrder): ExchangeOrderTrigger | undefined {
  const { terms, word } = order.transfer;
  const status = order.transfer.status as ExchangeOrderStatus;
  if (word !== null) return triggerOfWord(status, outcomeOf(terms, word), order);
  if (status !== 'created') return undefined;
  if (first(order, 'cancel')) return 'cancelled';
  return refusalOf(order, order.transfer.id) && 'failed';
}

function triggerOfWord(
  status: ExchangeOrderStatus,
  outcome: Outcome,
  order: ExchangeOrder,
): ExchangeOrderTrigger | undefined {
  switch (outcome) {
    case 'incoherent':
      return 'incoherent';
    case 'failed':
      return status === 'failed' || status === 'cancelled' ? undefined : 'failed';
    case 'open':
      if (status === 'created') return 'accepted';
      return status === 'executing' ? undefined : 'reopened';
    case 'dealt':
      if (status === 'created') return 'accepted';
      if (status === 'awaiting_settlement') return isReleased(order) ? 'released' : undefined;
      if (status === 'completed') return isReleased(order) ? undefined : 'grown';
      return 'filled';
  }
}

/** Our failure code for a status. */
export function failure(order: ExchangeOrder, on: string): string | null {
  const { word } = order.transfer;
  if (on === 'cancelled') return first(order, 'cancel')?.data['code'] as string;
  if (on !== 'failed') return null;
  if (word?.status === 'filled') return dealtIn(word).sold.isZero() ? 'nothing_filled' : 'not_as_ordered';
  const refusal = refusalOf(order, order.transfer.id)?.data['code'];
  return plainCode(word === null ? refusal : word.failureCode) ?? 'provider_refused';
}

/** Whether the order waits for the party or for settlement. After its end the party may still report an open order. */
export const isOpen = ({ transfer: { status, word } }: ExchangeOrder): boolean =>
  !isFinal(status) || word?.status === 'open';

// The party ---------------------------------------------------------------------------------------------------------

/** One order, under one key, until the party has reported or refused it. */
export const orders = (order: ExchangeOrder): Order[] =>
  order.transfer.status === 'created' && order.transfer.word === null && !isCalledOff(order)
    ? [{ key: order.transfer.id, what: 'open' }]
    : [];

/** Amounts that never fall: the fills, and that the order was over. */
export const measures = ({ status, fills }: ExchangeOrderWord): Record<string, Decimal> => ({
  over: new Decimal(status === 'open' ? 0 : 1),
  ...Object.fromEntries(
    fills.flatMap(({ id, sold, bought }) => [
      [`sold ${id}`, sold],
      [`bought ${id}`, bought],
    ]),
  ),
});

export const amounts = (
  { fills }: ExchangeOrderWord,
  { transfer: { terms } }: Pick<ExchangeOrder, 'transfer'>,
): Money[] =>
  fills.flatMap(({ sold, bought }) => [
    { amount: sold, currency: terms.currency },
    { amount: bought, currency: terms.toCurrency },
  ]);

/**
 * The word as a person concludes an order that the party never ends: its fills stay, and no more will follow. Without
 * fills it can only be concluded as failed, because only the party knows a price.
 */
export function concluded({ transfer }: ExchangeOrder, as: 'paid' | 'failed'): ExchangeOrderWord | undefined {
  const { word, orderedAt } = transfer;
  if (orderedAt === null || (word !== null && word.status !== 'open')) return undefined;
  const { sold, bought } = dealtIn(word);
  const fills = word?.fills ?? [];
  if (sold.gt(0) || bought.gt(0)) return { status: 'filled', fills };
  return as === 'failed' ? { status: 'failed', fills } : undefined;
}
