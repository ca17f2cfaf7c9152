import { z } from 'zod';
import { byCurrency, Decimal, sumOf, ZERO } from '../../kernel/money/money';
import { PARTY_ACCOUNTS } from '../../kernel/parties';
import type { CheckoutWord } from '../../parties/checkout/word';
import {
  type Back,
  type Credit,
  claimsOf,
  type Inflow,
  inflowPosition,
  type Money,
} from '../engine/books/inflow';
import type { ComponentTable, Holding } from '../engine/books/position';
import { backsAmong, type ReportedReturn, reportedParts } from '../engine/books/refunds';
import { resolutionsOf, takenByResolutions } from '../engine/books/resolutions';
import { last, moneyOf, type Part, type Situation } from '../engine/record';
import { type Price, quotedTerms } from './quotes/price';
import type { DepositStatus } from './record';

/**
 * The money of a deposit, by terms, word and decisions: payments, refunds and disputes, the credit, and the holdings.
 */

/** The terms that payer and client agreed to. Null for a payment without a deposit. */
export const depositTerms = quotedTerms
  .extend({
    /** The client's own name for it. */
    externalId: z.string().nullable(),
    expiresAt: z.coerce.date(),
  })
  .nullable();

export type DepositTerms = z.output<typeof depositTerms>;

/** A deposit, or a payment without one. */
export type Deposit = Situation<DepositTerms, CheckoutWord>;

/** A deposit that a client has made. */
export type ClientDeposit = Situation<NonNullable<DepositTerms>, CheckoutWord>;

export const COMPONENTS = {
  credited: { on: 'client', up: 'deposit/checkout', down: 'withdraw/checkout_reversed' },
  held: { on: 'hold', up: 'pending/deposit_refund', down: 'transfer/deposit_refund' },
  refunded: { on: 'client', up: 'withdraw/deposit_refund', down: 'deposit/deposit_refund_reversed' },
  chargedBack: { on: 'client', up: 'withdraw/deposit_chargeback', down: 'deposit/chargeback_reversed' },
  released: { on: 'client', up: 'deposit/checkout', down: 'withdraw/checkout_reversed' },
} as const satisfies ComponentTable;

export const inCurrency = <M extends Money>(all: readonly M[], currency: string): M[] =>
  all.filter((money) => money.currency === currency);

export const paidOf = (word: CheckoutWord | null) =>
  (word?.payments ?? []).filter(({ status }) => status !== 'failed');

export const settledOf = (word: CheckoutWord | null) =>
  (word?.payments ?? []).filter(({ status }) => status === 'settled');

/** Refunds and disputes of a word. A dispute that is won returns its money, so it counts as failed. */
const reportedReturns = (word: CheckoutWord | null): ReportedReturn[] => [
  ...(word?.refunds ?? []).map((refund): ReportedReturn => ({ ...refund, name: refund.id, as: 'refund' })),
  ...(word?.disputes ?? []).map((dispute): ReportedReturn => {
    const status = dispute.status === 'won' ? 'failed' : 'succeeded';
    return { ...dispute, name: dispute.id, as: 'dispute', status };
  }),
];

/** Refunds and disputes that took money, or that we ordered, under our ids. */
export const backsOf = (situation: Deposit): Back[] =>
  backsAmong(situation, reportedReturns(situation.transfer.word));

/**
 * The payer's money by currency: all payments, settled or not, less amounts that went back and amounts that a person
 * took out of suspense. Zero amounts are left out.
 */
export const netOf = (situation: Deposit): Money[] =>
  less(keptOf(situation), takenByResolutions(situation.decisions));

/** The payer's money by currency: all payments, settled or not, less amounts that went back. */
function keptOf(situation: Deposit): Money[] {
  const gone = backsOf(situation).filter(({ state }) => state === 'done');
  return less(paidOf(situation.transfer.word), gone);
}

/** The payer's money less refunds under way. A person can decide about this money. */
export function undecidedOf(situation: Deposit): Money[] {
  const asked = backsOf(situation).filter(({ state }) => state === 'asked');
  return less(netOf(situation), asked);
}

const less = (all: readonly Money[], taken: readonly Money[]): Money[] =>
  byCurrency([
    ...all,
    ...taken.map(({ currency, amount }) => ({ currency, amount: amount.negated() })),
  ]).filter(({ amount }) => !amount.isZero());

export const creditOf = (situation: Deposit) => last(situation, 'credit');

const credited = quotedTerms.pick({ creditedAmount: true, serviceFee: true });

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
  };
}

// Status and position ---------------------------------------------------------------------------------------------

/** The part of the credit's base that refunds have taken, in the payer's currency. */
export const refundedBase = (situation: Deposit): Decimal =>
  claimsOf(inflowOf(situation))
    .filter(({ back: { as, state } }) => as === 'refund' && state === 'done')
    .reduce((sum, { fromCredit }) => sum.plus(fromCredit), ZERO);

export const inflowOf = (situation: Deposit): Inflow => ({
  received: settledOf(situation.transfer.word),
  backs: backsOf(situation),
  credit: creditIn(situation),
  resolutions: resolutionsOf(situation.decisions),
  party: PARTY_ACCOUNTS.checkout,
});

export const position = (situation: Deposit): Holding[] => inflowPosition(inflowOf(situation));

export const parts = (word: CheckoutWord, situation: Deposit): (string | Part)[] =>
  reportedParts(situation, reportedReturns(word));

/** Amounts that never fall. A word that lowers one takes something back. */
export function measures(word: CheckoutWord): Record<string, Decimal> {
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
  // Won disputes count too, so that winning a dispute takes nothing back.
  for (const dispute of word.disputes) add('dispute', dispute);
  return measures;
}

/**
 * The amounts that a deposit shows in each status (decisions part 4, Deposits): the quote, all payments, the payments
 * less amounts that went back, or the posted credit.
 */
const SHOWN_AMOUNTS: Readonly<Record<DepositStatus, 'quoted' | 'paid' | 'kept' | 'posted'>> = {
  created: 'quoted',
  awaiting_payment: 'quoted',
  processing: 'quoted',
  manual_review: 'paid',
  failed: 'kept',
  cancelled: 'kept',
  expired: 'kept',
  completed: 'posted',
  refunded: 'posted',
  chargeback: 'posted',
};

/**
 * The amounts that a deposit shows. The charge has its own currency, because a payer may pay in another one than was
 * quoted.
 */
export function amountsOf(situation: ClientDeposit): Price & { chargedCurrency: string } {
  const { terms, status, word } = situation.transfer;
  const credit = creditOf(situation);
  const shown = SHOWN_AMOUNTS[status as DepositStatus];
  if (shown === 'posted' && credit) {
    const { amount, currency } = moneyOf(credit);
    return { chargedAmount: amount, chargedCurrency: currency, ...credited.parse(credit.data) };
  }
  if (shown === 'quoted') {
    const { chargedAmount, creditedAmount, serviceFee } = terms;
    return { chargedAmount, chargedCurrency: terms.currency, creditedAmount, serviceFee };
  }
  const { amount, currency } = chargeOf(shown === 'kept' ? keptOf(situation) : paidOf(word), terms.currency);
  return { chargedAmount: amount, chargedCurrency: currency, creditedAmount: ZERO, serviceFee: ZERO };
}

/** The amount in the quoted currency, or in the first currency where nothing is in the quoted one. */
function chargeOf(all: readonly Money[], quoted: string): Money {
  const currency = inCurrency(all, quoted).length > 0 ? quoted : (all[0]?.currency ?? quoted);
  return { amount: sumOf(inCurrency(all, currency)), currency };
}

/** The refundable part of the credit, in the payer's currency, without refunds under way. */
export function refundableOf(situation: Deposit): Decimal {
  const credit = creditOf(situation);
  if (!credit) return ZERO;
  const { amount, currency } = moneyOf(credit);
  const base = Decimal.min(amount, sumOf(inCurrency(settledOf(situation.transfer.word), currency)));
  return claimsOf(inflowOf(situation)).reduce((left, { fromCredit }) => left.minus(fromCredit), base);
}
