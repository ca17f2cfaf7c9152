import type { PartyAccount } from '../../../kernel/ledger/entries';
import { type Decimal, maxOf, minOf, roundTo, sumOf, ZERO } from '../../../kernel/money/money';
import { type Door, doorHolding } from './doors';
import { type Holding, internal } from './position';

/** Money that comes from a party, and what of it goes back: a deposit, a top-up, a bank's credit, a chain's deposit. */
export interface Inflow {
  /** What the party has received for good, by currency. */
  received: readonly Money[];
  /** What it has taken back, or is to take back; refunds and disputes, each in the order first seen. */
  backs: readonly Back[];
  /** The client's part of it, once the transfer is credited. */
  credit: Credit | null;
  /** What people have done with what stands in suspense. */
  doors: readonly Door[];
  /** The internal account that stands for the party. */
  party: PartyAccount;
}

export interface Money {
  currency: string;
  amount: Decimal;
}

/** The largest of several amounts, whatever their currencies. */
export function mostOf(all: readonly Money[]): Money {
  const [most] = all
    .map(({ amount, currency }) => ({ amount: amount.abs(), currency }))
    .sort((one, other) => other.amount.comparedTo(one.amount));
  return most ?? { amount: ZERO, currency: 'USD' };
}

export interface Back extends Money {
  /** Our id of it. */
  part: string;
  as: 'refund' | 'dispute';
  /** `asked`: ordered by us and not done: the client's part is held. `done`: the money has gone. */
  state: 'asked' | 'done';
  /** We have ordered it: of what was not credited it takes what is still there, and not what a door has let out. */
  ordered?: boolean;
}

export interface Credit {
  account: string;
  /** What is credited of what was received: in the payer's currency. */
  base: Money;
  /** In the account's currency: what the account gets, and what we keep. */
  credited: Decimal;
  fee: Decimal;
  currency: string;
}

/** Of a part what goes to the account, and what we keep: in the account's currency. */
interface Share {
  net: Decimal;
  fee: Decimal;
}

/**
 * What the books hold because of money that came in. What goes back comes first out of what was not credited, then out of
 * the client's credit, refunds before disputes; what goes back beyond all that was received is ours to claim, and stands
 * in suspense below zero (decisions part 4, Deposits). So does what the party takes back by itself after a door has let it out;
 * what we order takes nothing of that.
 */
export function inflowPosition(inflow: Inflow): Holding[] {
  return currenciesOf(inflow).flatMap((currency) => {
    const { total, own, base, backs, doors, parts } = dividedUp(inflow, currency);
    const gone = backs.filter(({ state }) => state === 'done');
    const fromCredit = parts
      .filter(({ back }) => back.state === 'done')
      .reduce((left, { before, after }) => left.plus(after).minus(before), ZERO);
    const uncredited = total.minus(base).minus(sumOf(gone)).plus(fromCredit);
    return [
      internal(inflow.party, currency, sumOf(gone).minus(total)),
      internal('suspense', currency, uncredited.minus(sumOf(doors))),
      ...(own ? creditHoldings(own, base, parts) : []),
      ...doors.map(doorHolding),
    ];
  });
}

/** Of what goes back: what it takes of what was not credited, and of the credit's base. In the payer's currency. */
export interface Claim {
  back: Back;
  fromUncredited: Decimal;
  fromCredit: Decimal;
}

/** What each part of what goes back, or is to go back, comes out of. */
export const claimsOf = (inflow: Inflow): Claim[] =>
  currenciesOf(inflow).flatMap((currency) =>
    dividedUp(inflow, currency).parts.map(({ back, fromPool, before, after }) => ({
      ...{ back, fromUncredited: fromPool, fromCredit: after.minus(before) },
    })),
  );

/** What stands in suspense and is on its way back already. */
export const pledgedIn = (inflow: Inflow): Money[] =>
  claimsOf(inflow)
    .filter(({ back }) => back.state === 'asked')
    .map(({ back: { currency }, fromUncredited: amount }) => ({ currency, amount }));

/** Money that was asked to go back and has neither gone nor failed: suspense that is short of it now may not be so then. */
export const askedIn = ({ backs }: Pick<Inflow, 'backs'>): Money[] =>
  backs.filter(({ state }) => state === 'asked');

const currenciesOf = ({ received, backs, doors }: Inflow): string[] => [
  ...new Set([...received, ...backs, ...doors].map(({ currency }) => currency)),
];

function dividedUp(inflow: Inflow, currency: string) {
  const of = <M extends Money>(all: readonly M[]) => all.filter((money) => money.currency === currency);
  const [backs, doors, total] = [of(inflow.backs), of(inflow.doors), sumOf(of(inflow.received))];
  const own = inflow.credit?.base.currency === currency ? inflow.credit : null;
  const base = own ? maxOf(ZERO, minOf(own.base.amount, total)) : ZERO;
  const letOut = sumOf(doors.filter(({ amount }) => amount.gt(0)));
  return {
    total,
    own,
    base,
    backs,
    doors,
    parts: allocate(backs, { uncredited: total.minus(base), letOut, base }),
  };
}

interface Taken {
  back: Back;
  /** Of what was not credited. */
  fromPool: Decimal;
  /** Of the credit's base, before this part and with it. */
  before: Decimal;
  after: Decimal;
}

const CLAIMS: readonly [Back['as'], Back['state']][] = [
  ['refund', 'done'],
  ['refund', 'asked'],
  ['dispute', 'done'],
];

/** Who pays for each part. What is only asked for claims its share, and takes nothing of what was not credited yet. */
function allocate(
  backs: readonly Back[],
  { uncredited, letOut, base }: { uncredited: Decimal; letOut: Decimal; base: Decimal },
): Taken[] {
  let pool = maxOf(ZERO, uncredited);
  let before = ZERO;
  const inTurn = letOut.isZero() ? backs : orderedFirst(backs);
  const claims = CLAIMS.flatMap(([as, state]) =>
    inTurn.filter((one) => one.as === as && one.state === state),
  );
  return claims.map((back) => {
    const there = back.ordered ? maxOf(ZERO, pool.minus(letOut)) : pool;
    const fromPool = minOf(back.amount, there);
    const after = before.plus(minOf(back.amount.minus(fromPool), base.minus(before)));
    const taken = { back, fromPool, before, after };
    pool = pool.minus(fromPool);
    before = after;
    return taken;
  });
}

/**
 * Once a door has let something out, what we ordered takes less of what was not credited than what the party gave back by
 * itself: so it claims first, for whose money goes back must not follow from the order in which the party's list names them.
 */
const orderedFirst = (backs: readonly Back[]): Back[] => [
  ...backs.filter(({ ordered }) => ordered),
  ...backs.filter(({ ordered }) => !ordered),
];

function creditHoldings(credit: Credit, base: Decimal, parts: readonly Taken[]): Holding[] {
  const { account, currency } = credit;
  const whole = shareOf(credit, base);
  const shares = sharesOf(credit, parts);
  const done = shares.filter(({ back }) => back.state === 'done');
  const fee = done.reduce((left, share) => left.minus(share.fee), whole.fee);
  return [
    { component: 'credited', part: null, account, currency, amount: whole.net },
    internal('fees', currency, fee),
    ...shares.map(({ back, net }) => ({
      component: componentOf(back),
      part: back.part,
      account,
      currency,
      amount: net,
    })),
  ];
}

/** A part's share is the difference of two cumulative shares, so the last part takes the exact rest. */
const sharesOf = (credit: Credit, parts: readonly Taken[]): (Share & { back: Back })[] =>
  parts.map(({ back, before, after }) => {
    const [had, due] = [shareOf(credit, before), shareOf(credit, after)];
    return { back, net: due.net.minus(had.net), fee: due.fee.minus(had.fee) };
  });

function componentOf({ as, state }: Back): string {
  if (state === 'asked') return 'held';
  return as === 'refund' ? 'refunded' : 'chargedBack';
}

/**
 * What a part of the base comes to, cumulatively: so that shares, however many, never turn round, and sum to the whole and
 * its exact rest. Without an exchange each minor unit is somebody's; with one, what rounding leaves is the FX position's.
 */
function shareOf(credit: Credit, part: Decimal): Share {
  const { base, credited, fee, currency } = credit;
  if (part.gte(base.amount)) return { net: credited, fee };
  const kept = roundTo(fee.times(part).dividedBy(base.amount), currency);
  return {
    net: isExact(credit) ? part.minus(kept) : roundTo(credited.times(part).dividedBy(base.amount), currency),
    fee: kept,
  };
}

const isExact = ({ base, credited, fee, currency }: Credit): boolean =>
  currency === base.currency && credited.plus(fee).eq(base.amount);
