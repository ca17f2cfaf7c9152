import type { PartyAccount } from '../../../kernel/ledger/entries';
import { type Decimal, maxOf, minOf, roundTo, sumOf, ZERO } from '../../../kernel/money/money';
import { type Holding, internal } from './position';
import { type Resolution, resolutionHolding } from './resolutions';

/**
 * Money that comes in from a party, and what of it goes back. Serves deposits, top-ups, and credits of banks and
 * chains.
 */
export interface Inflow {
  /** Settled amounts that the party received, by currency. */
  received: readonly Money[];
  /** Amounts that went back or are to go back: refunds and disputes, in the order first seen. */
  backs: readonly Back[];
  /** The client's part, once the transfer is credited. */
  credit: Credit | null;
  /** Amounts that people took out of suspense. */
  resolutions: readonly Resolution[];
  /** The internal account that represents the party. */
  party: PartyAccount;
}

export interface Money {
  currency: string;
  amount: Decimal;
}

/** The largest absolute amount, regardless of currency. */
export function mostOf(all: readonly Money[]): Money {
  const [most] = all
    .map(({ amount, currency }) => ({ amount: amount.abs(), currency }))
    .sort((one, other) => other.amount.comparedTo(one.amount));
  return most ?? { amount: ZERO, currency: 'USD' };
}

export interface Back extends Money {
  /** Our id of the part. */
  part: string;
  as: 'refund' | 'dispute';
  /** `asked`: we ordered it and it is undecided, so the client's part is held. `done`: the money has gone. */
  state: 'asked' | 'done';
  /** We ordered it. The refund takes only uncredited money that an operator has not taken out of suspense. */
  ordered?: boolean;
}

export interface Credit {
  account: string;
  /** The credited part of the received amount, in the payer's currency. */
  base: Money;
  /** The net credit and our fee, in the account's currency. */
  credited: Decimal;
  fee: Decimal;
  currency: string;
}

/** The net amount and the fee of a share, in the account's currency. */
interface Share {
  net: Decimal;
  fee: Decimal;
}

/**
 * Computes the holdings for money that came in.
 *
 * Money that goes back first takes what was not credited, then the client's credit, refunds before disputes
 * (decisions part 4, Deposits). Money that goes back beyond everything received stands in suspense below zero, for us
 * to claim.
 *
 * The same happens when the party takes back money that an operator has already taken out of suspense. A refund that we
 * ordered takes none of that money.
 */
export function inflowPosition(inflow: Inflow): Holding[] {
  return currenciesOf(inflow).flatMap((currency) => {
    const { total, own, base, backs, resolutions, parts } = dividedUp(inflow, currency);
    const gone = backs.filter(({ state }) => state === 'done');
    const fromCredit = parts
      .filter(({ back }) => back.state === 'done')
      .reduce((left, { before, after }) => left.plus(after).minus(before), ZERO);
    const uncredited = total.minus(base).minus(sumOf(gone)).plus(fromCredit);
    return [
      internal(inflow.party, currency, sumOf(gone).minus(total)),
      internal('suspense', currency, uncredited.minus(sumOf(resolutions))),
      ...(own ? creditHoldings(own, base, parts) : []),
      ...resolutions.map(resolutionHolding),
    ];
  });
}

/** The sources of an amount that goes back: uncredited money, and the base of the credit. In the payer's currency. */
export interface Claim {
  back: Back;
  fromUncredited: Decimal;
  fromCredit: Decimal;
}

/** The sources of each amount that goes back or is to go back. */
export const claimsOf = (inflow: Inflow): Claim[] =>
  currenciesOf(inflow).flatMap((currency) =>
    dividedUp(inflow, currency).parts.map(({ back, fromPool, before, after }) => ({
      back,
      fromUncredited: fromPool,
      fromCredit: after.minus(before),
    })),
  );

/** Money in suspense that a refund of ours will take. */
export const pledgedIn = (inflow: Inflow): Money[] =>
  claimsOf(inflow)
    .filter(({ back }) => back.state === 'asked')
    .map(({ back: { currency }, fromUncredited: amount }) => ({ currency, amount }));

/** Refunds that are undecided. Suspense below zero may be covered when one of them fails. */
export const askedIn = ({ backs }: Pick<Inflow, 'backs'>): Money[] =>
  backs.filter(({ state }) => state === 'asked');

const currenciesOf = ({ received, backs, resolutions }: Inflow): string[] => [
  ...new Set([...received, ...backs, ...resolutions].map(({ currency }) => currency)),
];

function dividedUp(inflow: Inflow, currency: string) {
  const of = <M extends Money>(all: readonly M[]) => all.filter((money) => money.currency === currency);
  const [backs, resolutions, total] = [of(inflow.backs), of(inflow.resolutions), sumOf(of(inflow.received))];
  const own = inflow.credit?.base.currency === currency ? inflow.credit : null;
  const base = own ? maxOf(ZERO, minOf(own.base.amount, total)) : ZERO;
  const letOut = sumOf(resolutions.filter(({ amount }) => amount.gt(0)));
  return {
    total,
    own,
    base,
    backs,
    resolutions,
    parts: allocate(backs, { uncredited: total.minus(base), letOut, base }),
  };
}

interface Taken {
  back: Back;
  /** From uncredited money. */
  fromPool: Decimal;
  /** Taken of the credit's base before this part, and including it. */
  before: Decimal;
  after: Decimal;
}

const CLAIMS: readonly [Back['as'], Back['state']][] = [
  ['refund', 'done'],
  ['refund', 'asked'],
  ['dispute', 'done'],
];

/**
 * Divides what goes back between uncredited money and the credit. An undecided refund reserves its share; suspense
 * still shows that money.
 */
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
 * Puts the refunds that we ordered first, once an operator has taken money out of suspense. They may then take less of
 * the uncredited money than the party's own refunds. Without this order, the sequence of the party's list would decide
 * whose money goes back.
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

/** Each share is the difference of two cumulative shares, so the last part takes the exact rest. */
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
 * The cumulative share of a part of the base. Shares never shrink as the part grows, and the whole gives the exact
 * total. Without an exchange, every minor unit goes to the account or to fees. With one, the rounding difference
 * stays in `fx_position`.
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
