import { newId } from '../../../../kernel/ids';
import { type Decimal, shareOf } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import { type Authorization, type CardTransaction, type Counter, remaining } from '../../record';
import type { Board, NewEvent, Refused } from '../board';

/** The counter of the authorization that an event increases. */
const COUNTER_OF = {
  authorization: 'authorized',
  settle: 'settled',
  cancel: 'reversed',
  refund: 'refunded',
} as const satisfies Record<string, Counter>;

type AuthorizationEvent = NewEvent & { type: keyof typeof COUNTER_OF; authorization: Authorization };

/**
 * Records an event of an authorization and updates the authorization's counters. A refused event changes nothing.
 * @param feeHeld the change of the hold for the settle fee; negative when the fee is taken or released
 */
export function recordOn(
  board: Board,
  card: Card,
  event: AuthorizationEvent,
  feeHeld: Decimal,
): CardTransaction | Refused {
  const recorded = board.record(card, event);
  if ('refusedBy' in recorded) return recorded;
  const { authorization } = event;
  board.spending.count(card, authorization, event.type, event.billingAmount);
  const counter = COUNTER_OF[event.type];
  authorization.own[counter] = authorization.own[counter].plus(event.amount);
  authorization.billing[counter] = authorization.billing[counter].plus(event.billingAmount);
  authorization.feeHeld = authorization.feeHeld.plus(feeHeld);
  if (event.type === 'settle') authorization.lastSettleId = recorded.id;
  board.keepAuthorization(authorization);
  return recorded;
}

/**
 * The reference of the next event of a type. The first one has the authorization's own reference, each later one a new
 * reference.
 */
export function nextReference(authorization: Authorization, type: keyof typeof COUNTER_OF): string {
  return authorization.own[COUNTER_OF[type]].isZero() ? authorization.referenceId : newId('reference');
}

/**
 * The event that settles or cancels part of a hold, and the part's share of the held settle fee. Fee and billing amount
 * are in the card's currency.
 */
export function partOfHeld<Type extends 'settle' | 'cancel'>(
  authorization: Authorization,
  type: Type,
  amount: Decimal,
) {
  const { own, billing, feeHeld, billingCurrency, currency, id: linkedId } = authorization;
  const held = remaining(own);
  const billingAmount = shareOf(remaining(billing), amount, held, billingCurrency);
  const referenceId = nextReference(authorization, type);
  return {
    event: { type, amount, currency, billingAmount, referenceId, linkedId, authorization },
    fee: shareOf(feeHeld, amount, held, billingCurrency),
  };
}
