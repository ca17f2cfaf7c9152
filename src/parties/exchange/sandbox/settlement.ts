import { Decimal, roundTo, sumOf } from '../../../kernel/money/money';
import type { LaterChange } from '../../sandbox/orders/book';
import { type Payment, changesOf as paymentChanges, wordAt } from '../../sandbox/paying/progress';
import { secondsAfter } from '../../sandbox/time';
import { changesOf, type Deal, type DealChange, type Fill } from './progress';
import { exchangeScenarioOf } from './scenarios';

/** A change of a balance, at seconds counted from the order. Negative where money leaves. */
export interface Movement extends LaterChange {
  currency: string;
  amount: Decimal;
}

/** Seconds from a fill to its settlement, unless the scenario sets others. */
const SETTLEMENT_SECONDS = 0.2;

/**
 * The sold amount leaves at the fill, and the bought amount arrives at the settlement. A withdrawn fill reverses both.
 */
export function dealMovements(deal: Deal): Movement[] {
  const changes = changesOf(deal);
  const fills = [...new Set(changes.flatMap((change) => change.fills))];
  return fills.flatMap((fill) => fillMovements(deal, fill, lifeOf(fill, changes)));
}

interface Life {
  from: number;
  /** Infinity: the fill is never withdrawn. */
  until: number;
}

function lifeOf(fill: Fill, changes: readonly DealChange[]): Life {
  const stands = ({ fills }: DealChange) => fills.includes(fill);
  const first = changes.findIndex(stands);
  const gone = changes.find((change, index) => index > first && !stands(change));
  return {
    from: changes[first]?.afterSeconds ?? Number.POSITIVE_INFINITY,
    until: gone?.afterSeconds ?? Number.POSITIVE_INFINITY,
  };
}

function fillMovements(deal: Deal, fill: Fill, { from, until }: Life): Movement[] {
  const { settlementSeconds = SETTLEMENT_SECONDS, settledShare = '1' } = exchangeScenarioOf(deal.amount);
  const { currency, bought: boughtCurrency } = deal;
  const settled = roundTo(fill.bought.times(settledShare), boughtCurrency, Decimal.ROUND_DOWN);
  const settledAt = from + settlementSeconds;
  const movements: Movement[] = [{ currency, amount: fill.sold.neg(), afterSeconds: from }];
  if (settledAt < until)
    movements.push({ currency: boughtCurrency, amount: settled, afterSeconds: settledAt });
  if (Number.isFinite(until))
    movements.push(
      ...movements.map(({ amount, ...one }) => ({ ...one, amount: amount.neg(), afterSeconds: until })),
    );
  return movements.filter(({ afterSeconds, amount }) => Number.isFinite(afterSeconds) && !amount.isZero());
}

/** The amounts that leave with a withdrawal and those that come back. */
export function withdrawalMovements(payment: Payment & { acceptedAt: Date }): Movement[] {
  const { currency, acceptedAt } = payment;
  let outBefore = new Decimal(0);
  return paymentChanges(payment).flatMap(({ afterSeconds }) => {
    const { sent, returns } = wordAt(payment, 0, secondsAfter(acceptedAt, afterSeconds));
    const back = sumOf(returns.map((part) => ({ amount: new Decimal(part.amount) })));
    const out = new Decimal(sent).minus(back);
    const amount = outBefore.minus(out);
    outBefore = out;
    return amount.isZero() ? [] : [{ currency, amount, afterSeconds }];
  });
}
