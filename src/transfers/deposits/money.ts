import { z } from 'zod';
import { Decimal, ZERO } from '../../kernel/money/money';
import type { CheckoutWord } from '../../parties/checkout/word';
import { decisionOf, doorsOf, letOutBy } from '../engine/doors';
import {
  type Back,
  type Credit,
  claimsOf,
  type Inflow,
  inflowPosition,
  type Money,
  type PartShare,
} from '../engine/inflow';
import type { ComponentTable, Holding } from '../engine/position';
import type { Decision, Part, Situation } from '../engine/record';
import { type Price } from './quotes/price';
import { DEPOSIT_METHODS } from './settings';

/**
 * What a deposit's money comes to, by its terms, the party's word and decisions: what was paid, what goes back, what was
 * credited, and what the books hold because of it.
 */

const decimal = z.string().transform((text) => new Decimal(text));

/** What payer and client have agreed to. Absent: a payment that no deposit asked for. */
export const depositTerms = z
  .object({
    method: z.enum(DEPOSIT_METHODS),
    /** The client's own name for it. */
    externalId: z.string().nullable(),
    /** The payer's. */
    currency: z.string(),
    accountCurrency: z.string(),
    rate: decimal,
    feeFixed: decimal,
    feePercent: decimal,
    chargedAmount: decimal,
    creditedAmount: decimal,
    serviceFee: decimal,
    expiresAt: z.coerce.date(),
  })
  .nullable();

export type DepositTerms = z.output<typeof depositTerms>;

/** A deposit, or a payment that no deposit asked for. */
export type Deposit = Situation<DepositTerms, CheckoutWord>;

/** One that a client has made. */
export type ClientDeposit = Situation<NonNullable<DepositTerms>, CheckoutWord>;

export const DEPOSIT_COMPONENTS = {
  deposits: { on: 'internal', account: 'deposits' },
  credited: { on: 'client', up: 'deposit/checkout', down: 'withdraw/checkout_reversed' },
  held: { on: 'hold', up: 'pending/deposit_refund', down: 'transfer/deposit_refund' },
  refunded: { on: 'client', up: 'withdraw/deposit_refund', down: 'deposit/deposit_refund_reversed' },
  chargedBack: { on: 'client', up: 'withdraw/deposit_chargeback', down: 'deposit/chargeback_reversed' },
  released: { on: 'client', up: 'deposit/checkout', down: 'withdraw/checkout_reversed' },
} as const satisfies ComponentTable;

export const total = (all: readonly Money[]): Decimal =>
  all.reduce((sum, { amount }) => sum.plus(amount), ZERO);

export const inCurrency = <M extends Money>(all: readonly M[], currency: string): M[] =>
  all.filter((money) => money.currency === currency);

export const paidOf = (word: CheckoutWord | null) =>
  (word?.payments ?? []).filter(({ status }) => status !== 'failed');

export const settledOf = (word: CheckoutWord | null) =>
  (word?.payments ?? []).filter(({ status }) => status === 'settled');

type WordRefund = CheckoutWord['refunds'][number];

/** The decision by which we ordered a refund; nothing for one that the party has made of itself, whatever key it names. */
export const orderOf = (
  { decisions }: Pick<Deposit, 'decisions'>,
  { key }: WordRefund,
): Decision | undefined => decisions.find(({ id, kind }) => id === key && REFUNDS.includes(kind));

/** The decisions by which we have ordered a refund that the party has neither told of nor refused. */
export function unansweredRefunds(situation: Deposit): Decision[] {
  const { transfer, decisions } = situation;
  const refused = new Set(decisions.filter(({ kind }) => kind === 'refused').map(({ data }) => data['key']));
  const told = new Set((transfer.word?.refunds ?? []).map((refund) => orderOf(situation, refund)?.id));
  return decisions.filter(({ kind, id }) => REFUNDS.includes(kind) && !refused.has(id) && !told.has(id));
}

/** Money that has gone back, or is to go back by our order: refunds and disputes, each part under our id. */
export function backsOf(situation: Deposit): Back[] {
  const { word, parts } = situation.transfer;
  const idOf = (name: string) => parts.find((part) => part.name === name)?.id ?? name;
  const ordered = unansweredRefunds(situation).map(
    (decision): Back => ({
      ...{ part: decision.id, as: 'refund', state: 'asked', ordered: true },
      ...moneyOf(decision),
    }),
  );
  const refunds = (word?.refunds ?? [])
    .map((refund) => ({ ...refund, order: orderOf(situation, refund) }))
    // What the party does of itself counts when it is done.
    .filter(({ status, order }) => status === 'succeeded' || (status === 'pending' && order !== undefined))
    .map(
      ({ id, order, amount, currency, status }): Back => ({
        ...{ part: order?.id ?? idOf(id), as: 'refund', ordered: order !== undefined, amount, currency },
        state: status === 'succeeded' ? 'done' : 'asked',
      }),
    );
  const disputes = (word?.disputes ?? [])
    .filter(({ status }) => status !== 'won')
    .map(
      ({ id, amount, currency }): Back => ({
        part: idOf(id),
        as: 'dispute',
        state: 'done',
        amount,
        currency,
      }),
    );
  // What only a person has told of, under our own id, comes as late as what nobody has answered.
  const concluded = new Set((word?.refunds ?? []).map(({ id }) => id));
  const place = new Map(parts.map(({ id }, index) => [id, concluded.has(id) ? parts.length : index]));
  const placeOf = ({ part }: Back) => place.get(part) ?? parts.length;
  return [...refunds, ...disputes].sort((a, b) => placeOf(a) - placeOf(b)).concat(ordered);
}

/** Decisions that send money back to the payer. */
export const REFUNDS: readonly string[] = ['refund', 'reject', decisionOf('return')];

export const moneyOf = ({ amount, currency }: Decision): Money => ({
  amount: amount ?? ZERO,
  currency: currency ?? '',
});

/**
 * What there is of a payer's money, settled or not, less what has gone back and what people have let out of suspense: by
 * currency, nothing where it is zero.
 */
export function netOf(situation: Deposit): Money[] {
  const gone = backsOf(situation).filter(({ state }) => state === 'done');
  return less(paidOf(situation.transfer.word), [...gone, ...letOutBy(situation.decisions)]);
}

/** The same less what is on its way back by our order: what a person can decide about. */
export function undecidedOf(situation: Deposit): Money[] {
  const asked = backsOf(situation).filter(({ state }) => state === 'asked');
  return less(netOf(situation), asked);
}

function less(all: readonly Money[], taken: readonly Money[]): Money[] {
  const currencies = new Set([...all, ...taken].map(({ currency }) => currency));
  return [...currencies]
    .map((currency) => ({
      currency,
      amount: total(inCurrency(all, currency)).minus(total(inCurrency(taken, currency))),
    }))
    .filter(({ amount }) => !amount.isZero());
}

export const last = (situation: Deposit, ...kinds: string[]): Decision | undefined =>
  situation.decisions.filter(({ kind }) => kinds.includes(kind)).at(-1);

export const creditOf = (situation: Deposit) => last(situation, 'credit');

export const credited = z.object({ creditedAmount: decimal, serviceFee: decimal });

function creditIn(situation: Deposit): Credit | null {
  const { terms, accountId } = situation.transfer;
  const decision = creditOf(situation);
  if (!decision || !terms || accountId === null) return null;
  const { creditedAmount, serviceFee } = credited.parse(decision.data);
  return {
    account: accountId,
    base: moneyOf(decision),
    credited: creditedAmount,
    fee: serviceFee,
    currency: terms.accountCurrency,
    given: givenShares(situation),
  };
}

const shares = z.object({
  parts: z.record(z.string(), z.object({ base: decimal, net: decimal, fee: decimal })),
});

/** What refunds and disputes came to in the release before the engine, which rounded otherwise. */
function givenShares(situation: Deposit): Map<string, PartShare> {
  const decision = last(situation, 'shares');
  return new Map(decision ? Object.entries(shares.parse(decision.data).parts) : []);
}

// Status and position ---------------------------------------------------------------------------------------------

/** What of the credit's base refunds have taken, in the payer's currency. */
export const refundedBase = (situation: Deposit): Decimal =>
  claimsOf(inflowOf(situation))
    .filter(({ back: { as, state } }) => as === 'refund' && state === 'done')
    .reduce((sum, { fromCredit }) => sum.plus(fromCredit), ZERO);

export const inflowOf = (situation: Deposit): Inflow => ({
  received: settledOf(situation.transfer.word),
  backs: backsOf(situation),
  credit: creditIn(situation),
  doors: doorsOf(situation.decisions),
  party: 'deposits',
});

export const depositPosition = (situation: Deposit): Holding[] => inflowPosition(inflowOf(situation));

/** Refunds that we ordered go by our order's id, whatever the party calls them. */
export const partsOfCheckout = (word: CheckoutWord, situation: Deposit): (string | Part)[] => [
  ...word.refunds.map((refund) => {
    const order = orderOf(situation, refund);
    return order ? { id: order.id, name: order.id } : refund.id;
  }),
  ...word.disputes.map(({ id }) => id),
];

/** Amounts that a later word does not lower by itself: one that does takes something back. */
export function measuresOfCheckout(word: CheckoutWord): Record<string, Decimal> {
  const measures: Record<string, Decimal> = {};
  const add = (name: string, { id, amount, currency }: { id: string } & Money) => {
    measures[`${name} ${id} ${currency}`] = amount;
  };
  for (const payment of word.payments) {
    if (payment.status !== 'failed') add('paid', payment);
    if (payment.status === 'settled') add('settled', payment);
  }
  for (const refund of word.refunds) {
    add('refund', refund);
    if (refund.status === 'succeeded') add('refunded', refund);
  }
  // A dispute that is won gives back what it took: that is no contradiction.
  for (const dispute of word.disputes) add('dispute', dispute);
  return measures;
}

/** A deposit's price as it stands: of the credit, where another amount was credited than was asked for. */
export function priceOfDeposit(situation: ClientDeposit): Price {
  const { chargedAmount, creditedAmount, serviceFee } = situation.transfer.terms;
  const decision = creditOf(situation);
  return decision
    ? { chargedAmount: moneyOf(decision).amount, ...credited.parse(decision.data) }
    : { chargedAmount, creditedAmount, serviceFee };
}

/** What there is left of the credit to refund, in the payer's currency, less what is under way. */
export function refundableOf(situation: Deposit): Decimal {
  const credit = creditOf(situation);
  if (!credit) return ZERO;
  const { amount, currency } = moneyOf(credit);
  const base = Decimal.min(amount, total(inCurrency(settledOf(situation.transfer.word), currency)));
  return claimsOf(inflowOf(situation)).reduce((left, { fromCredit }) => left.minus(fromCredit), base);
}
