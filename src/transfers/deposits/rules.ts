import { z } from 'zod';
import { Decimal, ZERO } from '../../kernel/money/money';
import type { CheckoutWord } from '../../parties/checkout/word';
import type { Conclusion } from '../engine/conclusion';
import { decisionOf, doorsOf } from '../engine/doors';
import { isSame } from '../engine/follow';
import { type Back, type Credit, inflowPosition, type Money } from '../engine/inflow';
import type { NewDecision, Order } from '../engine/kind';
import type { ComponentTable, Holding } from '../engine/position';
import type { Decision, Part, Situation, Transition } from '../engine/record';
import { type Price, priceOf } from './quotes/price';
import type { DepositStatus } from './record';
import { DEPOSIT_METHODS } from './settings';

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

/** What happens to a deposit's status (`interface.md 3.2`, decisions part 4): no status is assigned but by a line of it. */
export type DepositTrigger =
  /** The party has made its page, or will never. */
  | 'session_made'
  | 'session_refused'
  /** The payer's doing, as the party tells it. */
  | 'paid'
  | 'cancelled'
  | 'expired'
  | 'payment_failed'
  /** There is money of a payer's after it had ended. */
  | 'paid_late'
  /** A risk, another amount than was asked for, or money that goes back already. */
  | 'questioned'
  /** Settled and credited: by itself, or as a person approved. */
  | 'settled'
  | 'approved'
  /** Everything has gone back to the payer before it was credited. */
  | 'returned'
  /** All of the credit has been refunded. */
  | 'refunded'
  | 'charged_back'
  /** The party takes back that it was refunded whole, or paid. */
  | 'unrefunded'
  | 'unpaid';

export const DEPOSIT_TRANSITIONS: readonly Transition<DepositStatus, DepositTrigger>[] = [
  { from: 'created', on: 'session_made', to: 'awaiting_payment' },
  { from: 'created', on: 'session_refused', to: 'failed' },
  { from: 'created', on: 'expired', to: 'expired' },
  { from: 'awaiting_payment', on: 'paid', to: 'processing' },
  { from: 'awaiting_payment', on: 'payment_failed', to: 'failed' },
  { from: 'awaiting_payment', on: 'cancelled', to: 'cancelled' },
  { from: 'awaiting_payment', on: 'expired', to: 'expired' },
  { from: 'processing', on: 'payment_failed', to: 'failed' },
  { from: 'processing', on: 'questioned', to: 'manual_review' },
  { from: 'processing', on: 'settled', to: 'completed' },
  { from: 'expired', on: 'paid_late', to: 'manual_review' },
  { from: 'cancelled', on: 'paid_late', to: 'manual_review' },
  { from: 'failed', on: 'paid_late', to: 'manual_review' },
  { from: 'manual_review', on: 'approved', to: 'completed' },
  { from: 'manual_review', on: 'returned', to: 'failed' },
  { from: 'manual_review', on: 'payment_failed', to: 'failed' },
  { from: 'completed', on: 'refunded', to: 'refunded' },
  { from: 'completed', on: 'charged_back', to: 'chargeback' },
];

// What a word comes to -----------------------------------------------------------------------------------------------

const total = (all: readonly Money[]): Decimal => all.reduce((sum, { amount }) => sum.plus(amount), ZERO);
const inCurrency = <M extends Money>(all: readonly M[], currency: string): M[] =>
  all.filter((money) => money.currency === currency);

const paidOf = (word: CheckoutWord | null) =>
  (word?.payments ?? []).filter(({ status }) => status !== 'failed');
const settledOf = (word: CheckoutWord | null) =>
  (word?.payments ?? []).filter(({ status }) => status === 'settled');

type WordRefund = CheckoutWord['refunds'][number];

/** The decision by which we ordered a refund; nothing for one that the party has made of itself, whatever key it names. */
export const orderOf = (
  { decisions }: Pick<Deposit, 'decisions'>,
  { key }: WordRefund,
): Decision | undefined => decisions.find(({ id, kind }) => id === key && REFUNDS.includes(kind));

/** Money that has gone back, or is to go back by our order: refunds and disputes, each part under our id. */
export function backsOf(situation: Deposit): Back[] {
  const { transfer, decisions } = situation;
  const { word, parts } = transfer;
  const idOf = (name: string) => parts.find((part) => part.name === name)?.id ?? name;
  const refused = new Set(decisions.filter(({ kind }) => kind === 'refused').map(({ data }) => data['key']));
  const told = new Set((word?.refunds ?? []).map((refund) => orderOf(situation, refund)?.id));
  const ordered = decisions
    .filter(({ kind, id }) => REFUNDS.includes(kind) && !refused.has(id) && !told.has(id))
    .map((decision): Back => ({ part: decision.id, as: 'refund', state: 'asked', ...moneyOf(decision) }));
  const refunds = (word?.refunds ?? [])
    .map((refund) => ({ ...refund, order: orderOf(situation, refund) }))
    // What the party does of itself counts when it is done.
    .filter(({ status, order }) => status === 'succeeded' || (status === 'pending' && order !== undefined))
    .map(
      ({ id, order, amount, currency, status }): Back => ({
        ...{ part: order?.id ?? idOf(id), as: 'refund', amount, currency },
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
  const place = new Map(parts.map(({ id }, index) => [id, index]));
  const placeOf = ({ part }: Back) => place.get(part) ?? parts.length;
  return [...refunds, ...disputes].sort((a, b) => placeOf(a) - placeOf(b)).concat(ordered);
}

/** Decisions that send money back to the payer. */
export const REFUNDS: readonly string[] = ['refund', 'reject', decisionOf('return')];

const moneyOf = ({ amount, currency }: Decision): Money => ({
  amount: amount ?? ZERO,
  currency: currency ?? '',
});

/** What there is of a payer's money, settled or not, less what has gone back: by currency, nothing where it is zero. */
export function netOf(situation: Deposit): Money[] {
  const paid = paidOf(situation.transfer.word);
  const gone = backsOf(situation).filter(({ state }) => state === 'done');
  const currencies = new Set([...paid, ...gone].map(({ currency }) => currency));
  return [...currencies]
    .map((currency) => ({
      currency,
      amount: total(inCurrency(paid, currency)).minus(total(inCurrency(gone, currency))),
    }))
    .filter(({ amount }) => !amount.isZero());
}

const wasPaid = ({ transfer }: Deposit) => paidOf(transfer.word).length > 0;
const isSettled = ({ transfer }: Deposit) =>
  wasPaid({ transfer } as Deposit) && paidOf(transfer.word).every(({ status }) => status === 'settled');

function amountDiffers({ transfer: { word, terms } }: Deposit): boolean {
  const paid = paidOf(word);
  if (!terms || paid.length === 0) return false;
  return !(paid.every(({ currency }) => currency === terms.currency) && total(paid).eq(terms.chargedAmount));
}

// Decisions -------------------------------------------------------------------------------------------------------

const last = (situation: Deposit, ...kinds: string[]): Decision | undefined =>
  situation.decisions.filter(({ kind }) => kinds.includes(kind)).at(-1);

const creditOf = (situation: Deposit) => last(situation, 'credit');

/** What an approval is of: these payments, and no others of the same amount. Those of earlier releases do not say. */
export const approvalData = ({ transfer }: Deposit) => ({
  payments: paidOf(transfer.word)
    .map(({ id }) => id)
    .sort(),
});

const approvalOf = z.object({ payments: z.array(z.string()).optional() });

/** What a person approved, while it is still what there is. */
function approvedMoney(situation: Deposit): Money | undefined {
  const decision = last(situation, 'approve', 'reject');
  if (decision?.kind !== 'approve') return undefined;
  const { payments } = approvalOf.parse(decision.data);
  if (payments && !isSame(payments, approvalData(situation).payments)) return undefined;
  const [net, other] = netOf(situation);
  const same = net && !other && net.currency === decision.currency && net.amount.eq(decision.amount ?? ZERO);
  return same ? net : undefined;
}

/** What the system chooses by itself: to give up waiting, to ask a person, to credit. */
export function chooseForDeposit(situation: Deposit): NewDecision | undefined {
  const { transfer, at } = situation;
  const { status, terms } = transfer;
  if (!terms) return undefined;
  switch (status as DepositStatus) {
    case 'created':
    case 'awaiting_payment':
      return terms.expiresAt <= at && !wasPaid(situation) && !last(situation, 'expire')
        ? { kind: 'expire' }
        : undefined;
    case 'processing': {
      const reason = doubtOf(situation);
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

const totalPaid = ({ transfer: { word, terms } }: Deposit): Money => ({
  amount: total(paidOf(word)),
  currency: terms?.currency ?? '',
});

/** Why a person must look at it before it is credited. */
function doubtOf(situation: Deposit): string | undefined {
  const { word } = situation.transfer;
  if (amountDiffers(situation)) return 'amount_differs';
  if (word?.risk === 'review') return 'risk';
  const takenBack =
    word?.refunds.some(({ status }) => status !== 'failed') ||
    word?.disputes.some(({ status }) => status !== 'won');
  return takenBack ? 'taken_back' : undefined;
}

/** The credit is priced once, by the terms, and stands whatever is paid or goes back later. */
function creditDecision(terms: NonNullable<DepositTerms>, base: Money): NewDecision | undefined {
  const asAgreed = base.currency === terms.currency && base.amount.eq(terms.chargedAmount);
  const price = asAgreed ? terms : base.currency === terms.currency ? priceOf(base.amount, terms) : undefined;
  if (!price) return undefined;
  const { creditedAmount, serviceFee } = price;
  const data = { creditedAmount: creditedAmount.toFixed(), serviceFee: serviceFee.toFixed() };
  return { kind: 'credit', ...base, data };
}

const credited = z.object({ creditedAmount: decimal, serviceFee: decimal });

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

export function triggerOfDeposit(situation: Deposit): DepositTrigger | undefined {
  const { transfer } = situation;
  const { word } = transfer;
  const net = netOf(situation);
  switch (transfer.status as DepositStatus) {
    case 'created':
      if (isRefused(situation, transfer.id)) return 'session_refused';
      if (transfer.partyRef !== null) return 'session_made';
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
      // What is disputed comes back where it is won.
      return net.length === 0 && !isContested(word) ? 'returned' : undefined;
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

const isRefused = ({ decisions }: Deposit, key: string) =>
  decisions.some(({ kind, data }) => kind === 'refused' && data['key'] === key);

/** The party has less than was credited for: it takes back that it was paid. */
function isUnpaid(situation: Deposit): boolean {
  const credit = creditOf(situation);
  if (!credit) return false;
  const settled = inCurrency(settledOf(situation.transfer.word), credit.currency ?? '');
  return total(settled).lt(credit.amount ?? ZERO);
}

/** What of the credit's base refunds have taken, in the payer's currency. */
export const refundedBase = (situation: Deposit): Decimal => takenBase(situation, 'refund');

/** What of the credit's base has gone back: beyond what was never credited, which goes first. */
function takenBase(situation: Deposit, as?: Back['as']): Decimal {
  const credit = creditOf(situation);
  if (!credit) return ZERO;
  const { currency, amount } = moneyOf(credit);
  const settled = total(inCurrency(settledOf(situation.transfer.word), currency));
  const base = Decimal.min(amount, settled);
  const gone = inCurrency(backsOf(situation), currency).filter(
    (back) => back.state === 'done' && (as === undefined || back.as === as),
  );
  return Decimal.max(ZERO, Decimal.min(base, total(gone).minus(settled.minus(base))));
}

export function depositPosition(situation: Deposit): Holding[] {
  return inflowPosition({
    received: settledOf(situation.transfer.word),
    backs: backsOf(situation),
    credit: creditIn(situation),
    doors: doorsOf(situation.decisions),
    party: 'deposits',
  });
}

/** The page, until there is one or it is too late; then what is to go back. */
export function ordersOfDeposit(situation: Deposit): Order[] {
  const { transfer } = situation;
  if (transfer.partyRef === null)
    return transfer.status === 'created' && !isRefused(situation, transfer.id)
      ? [{ key: transfer.id, what: 'open' }]
      : [];
  return backsOf(situation)
    .filter(({ state, part }) => state === 'asked' && situation.decisions.some(({ id }) => id === part))
    .filter(({ part }) => !(transfer.word?.refunds ?? []).some(({ key }) => key === part))
    .map(({ part }) => ({ key: part, what: 'refund' }));
}

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

/** A party's words may give it away: what is not one of these is told as no more than a failure. */
const TOLD_FAILURES = ['card_declined', 'insufficient_funds', 'expired_card', 'authentication_failed'];

/** The code that goes with a status, of ours. */
export function failureOfDeposit(situation: Deposit, on: string): string | null {
  const { word, failure } = situation.transfer;
  switch (on as DepositTrigger) {
    case 'session_refused':
      return 'method_unavailable';
    case 'payment_failed':
      return TOLD_FAILURES.find((code) => code === word?.failureCode) ?? 'payment_failed';
    case 'paid_late':
      return 'paid_late';
    case 'questioned':
      return last(situation, 'question')?.reason ?? null;
    case 'settled':
    case 'approved':
      return null;
    default:
      return failure;
  }
}

/** It waits for the payer, the party, a person, or a refund that was ordered. */
export function isOpenDeposit(situation: Deposit): boolean {
  const { terms, status } = situation.transfer;
  const waits = ['created', 'awaiting_payment', 'processing', 'manual_review'].includes(status);
  return (terms !== null && waits) || backsOf(situation).some(({ state }) => state === 'asked');
}

/** What a person concludes of a session that the party never ends. */
export function concludedDeposit({ transfer }: Deposit, as: Conclusion): CheckoutWord | undefined {
  const { word, terms } = transfer;
  if (!terms) return undefined;
  const { chargedAmount: amount, currency } = terms;
  const known = word ?? { key: transfer.id, risk: 'normal' as const, refunds: [], disputes: [] };
  return as === 'paid'
    ? { ...known, page: 'paid', payments: [{ id: 'concluded', amount, currency, status: 'settled' }] }
    : { ...known, page: 'failed', payments: [] };
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
  const asked = inCurrency(backsOf(situation), credit.currency ?? '').filter(
    ({ state }) => state === 'asked',
  );
  const left = moneyOf(credit).amount.minus(takenBase(situation)).minus(total(asked));
  return Decimal.max(ZERO, left);
}

/** What a person has decided and is being done; nothing where a decision is (again) waited for. */
export function underDecision(situation: Deposit): 'approved' | 'rejected' | undefined {
  if (approvedMoney(situation)) return 'approved';
  const rejecting = backsOf(situation).some(
    ({ state, part }) =>
      state === 'asked' && situation.decisions.some(({ id, kind }) => id === part && kind === 'reject'),
  );
  return rejecting ? 'rejected' : undefined;
}

/** What was never credited and is on its way back to the payer. */
export const pledgedOfDeposit = (situation: Deposit): Money[] =>
  backsOf(situation).filter(
    ({ state, part }) =>
      state === 'asked' &&
      situation.decisions.some(({ id, kind }) => id === part && kind !== 'refund' && REFUNDS.includes(kind)),
  );
