import { type Decimal, maxOf, minOf, roundTo, ZERO } from '../../kernel/money/money';
import type { Door } from './doors';
import { type Money, sum } from './inflow';
import type { Holding } from './position';

/** Money that leaves an account through a party, and what of it comes back: a payout of any kind. */
export interface Outflow {
  account: string;
  currency: string;
  /** In the account's currency. */
  amount: Decimal;
  fee: Decimal;
  /** What the destination is to get. */
  target: Money;
  /** It may still be paid: amount and fee are held. */
  held: boolean;
  /** What the party has sent, in the target's currency, for which the fee is due. */
  sent: Decimal;
  /** What of it came back, in the order first seen, in the target's currency. */
  backs: readonly { part: string; amount: Decimal }[];
  doors: readonly Door[];
  /** Where the account has been closed since: what it had paid then, and had been credited of each part. */
  closed?: PaidAtClosing | undefined;
  /** The internal account that stands for the party. */
  party: string;
}

export interface PaidAtClosing {
  /** In the target's currency. */
  sent: Decimal;
  fee: Decimal;
  backs: ReadonlyMap<string, Decimal>;
}

/**
 * What the books hold because of money that goes out. What comes back is credited in proportion, the last part with the
 * exact rest. What was sent beyond the order stands in suspense and is what comes back first; so does what comes back beyond
 * all that was sent, and what a closed account would be given back.
 */
export function outflowPosition(outflow: Outflow): Holding[] {
  const { account, currency, target, sent, backs, doors, party } = outflow;
  const own = (component: string, amount: Decimal, part: string | null = null): Holding => ({
    component,
    part,
    account,
    currency,
    amount,
  });
  const ordered = minOf(maxOf(sent, outflow.closed?.sent ?? ZERO), target.amount);
  const due = sent.gt(0) ? outflow.fee : ZERO;
  const fee = maxOf(due, outflow.closed?.fee ?? ZERO);
  const returned = returnsOf(outflow, ordered);
  const gone = sum(backs.map(({ amount }) => ({ amount, currency: target.currency })));
  return [
    ...(outflow.held ? [own('held', outflow.amount.plus(outflow.fee))] : []),
    own('paid', shareOf(outflow, ordered)),
    own('fee', fee),
    ...returned.parts.map(({ part, amount }) => own('returned', amount, part)),
    internal('fees', currency, due),
    internal(party, target.currency, sent.minus(gone)),
    ...suspense(
      { currency: target.currency, amount: ordered.minus(sent).plus(returned.beyond) },
      { currency, amount: fee.minus(due) },
      ...doors.map((door) => ({ currency: door.currency, amount: door.amount.negated() })),
    ),
    ...doors.map(doorHolding),
  ];
}

const suspense = (...all: readonly Money[]): Holding[] =>
  [...new Set(all.map(({ currency }) => currency))].map((currency) =>
    internal('suspense', currency, sum(all.filter((money) => money.currency === currency))),
  );

function returnsOf(outflow: Outflow, ordered: Decimal) {
  const { closed } = outflow;
  let before = ZERO;
  let beyond = ZERO;
  let excess = maxOf(ZERO, outflow.sent.minus(ordered));
  const parts = outflow.backs.map(({ part, amount }) => {
    const left = maxOf(ZERO, amount.minus(excess));
    excess = maxOf(ZERO, excess.minus(amount));
    const open = closed ? minOf(left, closed.backs.get(part) ?? ZERO) : left;
    const own = maxOf(ZERO, minOf(open, ordered.minus(before)));
    const after = before.plus(own);
    const share = shareOf(outflow, after).minus(shareOf(outflow, before));
    before = after;
    beyond = beyond.plus(amount).minus(own);
    return { part, amount: share };
  });
  return { parts, beyond };
}

/** What a part of the target comes to in the account's currency, cumulatively. */
function shareOf({ amount, target, currency }: Outflow, part: Decimal): Decimal {
  if (part.gte(target.amount)) return amount;
  return roundTo(amount.times(part).dividedBy(target.amount), currency);
}

const internal = (component: string, currency: string, amount: Decimal): Holding => ({
  component,
  part: null,
  account: null,
  currency,
  amount,
});

function doorHolding({ part, to, account, currency, amount }: Door): Holding {
  return to === 'account'
    ? { component: 'released', part, account, currency, amount }
    : { component: 'losses', part, account: null, currency, amount };
}
