import type { PartyAccount } from '../../../kernel/ledger/entries';
import { byCurrency, type Decimal, maxOf, minOf, roundTo, sumOf, ZERO } from '../../../kernel/money/money';
import type { Money } from './inflow';
import { type Holding, internal } from './position';
import { type Resolution, resolutionHolding } from './resolutions';

/** Money that leaves an account through a party, and what of it comes back. */
export interface OfAccount {
  account: string;
  currency: string;
  /** In the account's currency. */
  amount: Decimal;
  fee: Decimal;
  /** The amount for the destination. */
  target: Money;
  /** The transfer may still be paid, so amount and fee are held. */
  held: boolean;
  /** The amount that the party sent, in the target's currency. With it the fee is due. */
  sent: Decimal;
  /** Amounts that came back, in the order first seen, in the target's currency. */
  backs: readonly { part: string; amount: Decimal }[];
  resolutions: readonly Resolution[];
  /** Set where the account was closed: what it had paid, and what each part had returned to it. */
  closed?: PaidAtClosing | undefined;
}

/** The same with the party that pays. Serves payouts of any kind. */
export interface Outflow extends OfAccount {
  /** The internal account that represents the party. */
  party: PartyAccount;
}

export interface PaidAtClosing {
  /** In the target's currency. */
  sent: Decimal;
  fee: Decimal;
  backs: ReadonlyMap<string, Decimal>;
}

/**
 * Computes the holdings for money that goes out. Returns are credited in proportion; the last one takes the exact
 * rest.
 *
 * Suspense takes amounts sent beyond the order, which return first. It also takes returns beyond everything sent, and
 * returns for a closed account.
 */
export function outflowPosition(outflow: Outflow): Holding[] {
  const { currency, target, sent, backs, resolutions, party } = outflow;
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
      ...resolutions.map((resolution) => ({
        currency: resolution.currency,
        amount: resolution.amount.negated(),
      })),
    ),
    ...resolutions.map(resolutionHolding),
  ];
}

/** The holdings of the account: held, paid, fee and returned. */
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

/** The fee that is due, and the fee that the account has paid. A closed account gets no fee back. */
function feesOf({ sent, fee, closed }: OfAccount) {
  const due = sent.gt(0) ? fee : ZERO;
  return { due, taken: maxOf(due, closed?.fee ?? ZERO) };
}

const suspense = (...all: readonly Money[]): Holding[] =>
  byCurrency(all).map(({ currency, amount }) => internal('suspense', currency, amount));

/** The account's part of each return, in the target's currency. */
export const creditedOf = (outflow: OfAccount): Map<string, Decimal> =>
  new Map(returnsOf(outflow, orderedOf(outflow)).parts.map(({ part, own }) => [part, own]));

/** The amount that the account pays for. It never falls after the account was closed. */
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
  // Money sent beyond the order returns first. Returns that no open account can take count towards it.
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

/** The cumulative share of a part of the target, in the account's currency. */
function shareOf({ amount, target, currency }: OfAccount, part: Decimal): Decimal {
  if (part.gte(target.amount)) return amount;
  return roundTo(amount.times(part).dividedBy(target.amount), currency);
}
