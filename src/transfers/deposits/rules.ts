import { z } from 'zod';
import { sumOf, ZERO } from '../../kernel/money/money';
import type { CheckoutWord } from '../../parties/checkout/word';
import { type Money, pledgedIn } from '../engine/books/inflow';
import { refundOrders } from '../engine/books/refunds';
import { takenByResolutions } from '../engine/books/resolutions';
import { isSame } from '../engine/follow';
import type { NewDecision, Order } from '../engine/kind';
import { last, refusalOf, type Transition } from '../engine/record';
import {
  backsOf,
  creditOf,
  type Deposit,
  type DepositTerms,
  inCurrency,
  inflowOf,
  netOf,
  paidOf,
  refundedBase,
  settledOf,
  undecidedOf,
} from './money';
import { type Price, priceOf } from './quotes/price';
import {
  type DepositFailure,
  type DepositStatus,
  OPEN_DEPOSIT_STATUSES,
  type ReviewReason,
  TOLD_FAILURES,
} from './record';

/** Triggers of a deposit (`interface.md 3.2`, decisions part 4). A status changes only by a line of the table below. */
export type DepositTrigger =
  /** The party has made the page, or has refused to. */
  | 'session_made'
  | 'session_refused'
  /** The payer's actions, as the party reports them. */
  | 'paid'
  | 'cancelled'
  | 'expired'
  | 'payment_failed'
  /** Money of the payer exists after the deposit had ended. */
  | 'paid_late'
  /** A risk, another amount than was quoted, or money that already goes back. */
  | 'questioned'
  /** Settled and credited, without or with a person's approval. */
  | 'settled'
  | 'approved'
  /** Nothing is left to credit: the money went back to the payer, or people took it out of suspense. */
  | 'returned'
  | 'let_out'
  /** The whole credit has been refunded. */
  | 'refunded'
  | 'charged_back'
  /** The party takes back that the deposit was refunded in full, or that it was paid. */
  | 'unrefunded'
  | 'unpaid';

export const DEPOSIT_TRANSITIONS: readonly Transition<DepositStatus, DepositTrigger>[] = [
  { from: ['created'], on: 'session_made', to: 'awaiting_payment' },
  { from: ['created'], on: 'session_refused', to: 'failed' },
  { from: ['created', 'awaiting_payment'], on: 'expired', to: 'expired' },
  { from: ['awaiting_payment'], on: 'paid', to: 'processing' },
  { from: ['awaiting_payment', 'processing', 'manual_review'], on: 'payment_failed', to: 'failed' },
  { from: ['awaiting_payment'], on: 'cancelled', to: 'cancelled' },
  { from: ['processing'], on: 'questioned', to: 'manual_review' },
  { from: ['processing'], on: 'settled', to: 'completed' },
  { from: ['expired', 'cancelled', 'failed'], on: 'paid_late', to: 'manual_review' },
  { from: ['manual_review'], on: 'approved', to: 'completed' },
  { from: ['manual_review'], on: 'returned', to: 'failed' },
  { from: ['manual_review'], on: 'let_out', to: 'failed' },
  { from: ['completed'], on: 'refunded', to: 'refunded' },
  { from: ['completed'], on: 'charged_back', to: 'chargeback' },
];

// Predicates of a word
// -----------------------------------------------------------------------------------------------

const wasPaid = ({ transfer }: Pick<Deposit, 'transfer'>) => paidOf(transfer.word).length > 0;

export const isSettled = ({ transfer }: Pick<Deposit, 'transfer'>) =>
  wasPaid({ transfer }) && paidOf(transfer.word).every(({ status }) => status === 'settled');

function amountDiffers({ transfer: { word, terms } }: Deposit): boolean {
  const paid = paidOf(word);
  if (!terms || paid.length === 0) return false;
  return !(paid.every(({ currency }) => currency === terms.currency) && sumOf(paid).eq(terms.chargedAmount));
}

// Decisions -------------------------------------------------------------------------------------------------------

/** An approval lists its payments, so it does not cover other payments of the same amount. */
export const approvalData = ({ transfer }: Deposit) => ({
  payments: paidOf(transfer.word)
    .map(({ id }) => id)
    .sort(),
});

const approvalOf = z.object({ payments: z.array(z.string()) });

/** The amount that a person approved, while the payments are still the same. */
function approvedMoney(situation: Deposit): Money | undefined {
  const decision = last(situation, 'approve', 'reject');
  if (decision?.kind !== 'approve') return undefined;
  const { payments } = approvalOf.parse(decision.data);
  if (!isSame(payments, approvalData(situation).payments)) return undefined;
  const [left, other] = undecidedOf(situation);
  const same =
    left && !other && left.currency === decision.currency && left.amount.eq(decision.amount ?? ZERO);
  return same ? left : undefined;
}

/** Money in suspense that is promised: to the payer, or to the client once the rest has settled. */
export function pledged(situation: Deposit): Money[] {
  const approved = creditOf(situation) ? undefined : approvedMoney(situation);
  return [...pledgedIn(inflowOf(situation)), ...(approved ? [approved] : [])];
}

/** Choices of the system: to expire a deposit, to ask a person, to credit. */
export function choose(situation: Deposit): NewDecision | undefined {
  const { status, terms } = situation.transfer;
  if (!terms) return undefined;
  switch (status as DepositStatus) {
    case 'created':
    case 'awaiting_payment':
      return isExpired(situation, terms) && !wasPaid(situation) && !last(situation, 'expire')
        ? { kind: 'expire' }
        : undefined;
    case 'processing': {
      const reason = reviewReason(situation);
      if (reason) return last(situation, 'question') ? undefined : { kind: 'question', reason };
      return isSettled(situation) && !creditOf(situation)
        ? creditDecision(terms, totalPaid(situation))
        : undefined;
    }
    case 'manual_review': {
      const approved = isSettled(situation) ? approvedMoney(situation) : undefined;
      return approved && !creditOf(situation) ? creditDecision(terms, approved) : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether the time to pay has run out: by an answer from after that time, or by the clock alone before the order. */
function isExpired(
  { transfer: { orderedAt }, at, askedAt }: Deposit,
  { expiresAt }: { expiresAt: Date },
): boolean {
  const known = orderedAt === null ? at : askedAt;
  return known !== undefined && expiresAt <= known;
}

const totalPaid = ({ transfer: { word, terms } }: Deposit): Money => ({
  amount: sumOf(paidOf(word)),
  currency: terms?.currency ?? '',
});

/** Why a person must review the deposit before it is credited. */
function reviewReason(situation: Deposit): ReviewReason | undefined {
  const { word } = situation.transfer;
  if (amountDiffers(situation) || takenByResolutions(situation.decisions).length > 0) return 'amount_differs';
  if (word?.risk === 'review') return 'risk';
  const takenBack = backsOf(situation).length > 0 || word?.refunds.some(({ status }) => status !== 'failed');
  return takenBack ? 'taken_back' : undefined;
}

/** The price of a credit: the agreed one for the agreed amount. Undefined when the terms give none. */
export function creditPrice(terms: NonNullable<DepositTerms>, base: Money): Price | undefined {
  if (base.currency !== terms.currency) return undefined;
  return base.amount.eq(terms.chargedAmount) ? terms : priceOf(base.amount, terms);
}

/** The price of the credit is fixed once. Later payments and refunds do not change it. */
function creditDecision(terms: NonNullable<DepositTerms>, base: Money): NewDecision | undefined {
  const price = creditPrice(terms, base);
  if (!price) return undefined;
  const { creditedAmount, serviceFee } = price;
  const data = { creditedAmount: creditedAmount.toFixed(), serviceFee: serviceFee.toFixed() };
  return { kind: 'credit', ...base, data };
}

export function trigger(situation: Deposit): DepositTrigger | undefined {
  const { transfer } = situation;
  const { word } = transfer;
  const net = netOf(situation);
  switch (transfer.status as DepositStatus) {
    case 'created':
      if (refusalOf(situation, transfer.id)) return 'session_refused';
      if (transfer.partyRef !== null) return 'session_made';
      // While the page has no name, only a person's conclusion gives a word.
      if (word?.page === 'failed') return 'session_refused';
      return last(situation, 'expire') && 'expired';
    case 'awaiting_payment':
      if (wasPaid(situation)) return 'paid';
      if (word?.page === 'failed') return 'payment_failed';
      if (word?.page === 'cancelled') return 'cancelled';
      return word?.page === 'expired' || last(situation, 'expire') ? 'expired' : undefined;
    case 'processing':
      if (!wasPaid(situation)) return 'payment_failed';
      if (last(situation, 'question')) return 'questioned';
      return creditOf(situation) && 'settled';
    case 'manual_review':
      if (word === null) return undefined; // nobody's, not asked for yet
      if (creditOf(situation)) return 'approved';
      if (!wasPaid(situation)) return 'payment_failed';
      // A disputed amount may come back, so the deposit stays in review.
      if (net.some(({ amount }) => amount.gt(0)) || isContested(word)) return undefined;
      return takenByResolutions(situation.decisions).length > 0 ? 'let_out' : 'returned';
    case 'expired':
    case 'cancelled':
    case 'failed':
      return net.some(({ amount }) => amount.gt(0)) ? 'paid_late' : undefined;
    case 'completed':
      if (refundedBase(situation).gte(creditOf(situation)?.amount ?? Number.POSITIVE_INFINITY))
        return 'refunded';
      if (isDisputed(word)) return 'charged_back';
      return isUnpaid(situation) ? 'unpaid' : undefined;
    case 'refunded':
      if (isDisputed(word)) return 'charged_back';
      return refundedBase(situation).lt(creditOf(situation)?.amount ?? ZERO) ? 'unrefunded' : undefined;
    default:
      return isUnpaid(situation) ? 'unpaid' : undefined;
  }
}

const isDisputed = (word: CheckoutWord | null) =>
  word?.disputes.some(({ status }) => status !== 'won') ?? false;

const isContested = (word: CheckoutWord) => word.disputes.some(({ status }) => status === 'open');

/** Whether the settled payments have fallen below the credited base. */
function isUnpaid(situation: Deposit): boolean {
  const credit = creditOf(situation);
  if (!credit) return false;
  const settled = inCurrency(settledOf(situation.transfer.word), credit.currency ?? '');
  return sumOf(settled).lt(credit.amount ?? ZERO);
}

/** The order for the page while the deposit is `created`; afterwards the refunds. */
export function orders(situation: Deposit): Order[] {
  const { transfer } = situation;
  if (transfer.partyRef === null)
    return transfer.status === 'created' && !refusalOf(situation, transfer.id)
      ? [{ key: transfer.id, what: 'open' }]
      : [];
  return refundOrders(situation, transfer.word?.refunds ?? []);
}

/** Our failure code for a status. */
export function failure(situation: Deposit, on: string): DepositFailure | null {
  const { word, failure } = situation.transfer;
  switch (on as DepositTrigger) {
    case 'session_refused':
      return 'method_unavailable';
    case 'payment_failed':
      return TOLD_FAILURES.find((code) => code === word?.failureCode) ?? 'payment_failed';
    case 'paid_late':
      return 'paid_late';
    case 'questioned':
      return (last(situation, 'question')?.reason ?? null) as ReviewReason | null;
    case 'settled':
    case 'approved':
      return null;
    default:
      return failure as DepositFailure | null;
  }
}

/** Whether the deposit waits for the payer, the party, a person or an ordered refund. */
export function isOpen(situation: Deposit): boolean {
  const { terms, status } = situation.transfer;
  const waits = OPEN_DEPOSIT_STATUSES.includes(status);
  return (terms !== null && waits) || backsOf(situation).some(({ state }) => state === 'asked');
}

/** The decision that is being carried out. Undefined while a decision is waited for. */
export function underDecision(situation: Deposit): 'approved' | 'rejected' | undefined {
  if (approvedMoney(situation)) return 'approved';
  const rejecting = backsOf(situation).some(
    ({ state, part }) =>
      state === 'asked' && situation.decisions.some(({ id, kind }) => id === part && kind === 'reject'),
  );
  return rejecting ? 'rejected' : undefined;
}
