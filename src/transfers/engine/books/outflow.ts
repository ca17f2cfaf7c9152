import type { PartyAccount } from '../../../kernel/ledger/entries';
import { byCurrency, type Decimal, maxOf, minOf, roundTo, sumOf, ZERO } from '../../../kernel/money/money';
import { type Door, doorHolding } from './doors';
import type { Money } from './inflow';
import { type Holding, internal } from './position';

/** What leaves an account through a party, and what of it comes back. */
export interface OfAccount {
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
}

/** The same with who pays: a payout of any kind. */
export interface Outflow extends OfAccount {
  /** The internal account that stands for the party. */
  party: PartyAccount;
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
  const { currency, target, sent, backs, doors, party } = outflow;
  const ordered = orderedOf(outflow);
  const { due, taken } = feesOf(outflow);
  const { beyond } = returnsOf(outflow, ordered);
  const gone = sumOf(backs);
  return [
    ...accountHoldings(outflow),
    internal('fees', currency, due),
    internal(party, target.currency, sent.minus(gone)),
    ...suspense(
      { currency: target.currency, amount: ordered.minus(sent).plus(beyond) },
      { currency, amount: taken.minus(due) },
      ...doors.map((door) => ({ currency: door.currency, amount: door.amount.negated() })),
    ),
    ...doors.map(doorHolding),
  ];
}

/** What of it is the account's: held, paid, and credited again. */
export function accountHoldings(outflow: OfAccount): Holding[] {
  const { account, currency } = outflow;
  const own = (component: string, amount: Decimal, part: string | null = null): Holding => ({
    component,
    part,
    account,
    currency,
    amount,
  });
  const ordered = orderedOf(outflow);
  return [
    ...(outflow.held ? [own('held', outflow.amount.plus(outflow.fee))] : []),
    own('paid', shareOf(outflow, ordered)),
    own('fee', feesOf(outflow).taken),
    ...returnsOf(outflow, ordered).parts.map(({ part, amount }) => own('returned', amount, part)),
  ];
}

/** What is due for what was sent; and what the account has paid, which a closed one is not given back. */
function feesOf({ sent, fee, closed }: OfAccount) {
  const due = sent.gt(0) ? fee : ZERO;
  return { due, taken: maxOf(due, closed?.fee ?? ZERO) };
}

const suspense = (...all: readonly Money[]): Holding[] =>
  byCurrency(all).map(({ currency, amount }) => internal('suspense', currency, amount));

/** Of each part that came back, what is the account's, in the target's currency. */
export const creditedOf = (outflow: OfAccount): Map<string, Decimal> =>
  new Map(returnsOf(outflow, orderedOf(outflow)).parts.map(({ part, own }) => [part, own]));

/** What is the account's to pay; it stays so where it has been closed. */
const orderedOf = ({ sent, closed, target }: OfAccount): Decimal =>
  minOf(maxOf(sent, closed?.sent ?? ZERO), target.amount);

function returnsOf(outflow: OfAccount, ordered: Decimal) {
  const { closed } = outflow;
  const backs = outflow.backs.map((back) => ({
    ...back,
    open: closed ? minOf(back.amount, closed.backs.get(back.part) ?? ZERO) : back.amount,
  }));
  const shut = backs.reduce((total, { amount, open }) => total.plus(amount).minus(open), ZERO);
  let before = ZERO;
  let beyond = ZERO;
  // What was sent too much comes back first with what no account is open for.
  let excess = maxOf(ZERO, outflow.sent.minus(ordered).minus(shut));
  const parts = backs.map(({ part, amount, open }) => {
    const left = maxOf(ZERO, open.minus(excess));
    excess = maxOf(ZERO, excess.minus(open));
    const own = maxOf(ZERO, minOf(left, ordered.minus(before)));
    const after = before.plus(own);
    const share = shareOf(outflow, after).minus(shareOf(outflow, before));
    before = after;
    beyond = beyond.plus(amount).minus(own);
    return { part, own, amount: share };
  });
  return { parts, beyond };
}

/** What a part of the target comes to in the account's currency, cumulatively. */
function shareOf({ amount, target, currency }: OfAccount, part: Decimal): Decimal {
  if (part.gte(target.amount)) return amount;
  return roundTo(amount.times(part).dividedBy(target.amount), currency);
}
