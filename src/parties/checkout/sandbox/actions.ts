import { typeidUnboxed } from 'typeid-js';
import { Decimal, maxOf } from '../../../kernel/money/money';
import { secondsAfter } from '../../sandbox/time';
import type { AskedSession, Dispute, Payment, Session, SessionState } from './record';
import { scenarioOf } from './scenarios';
import { refundable, statusAt } from './state';

/** Actions on a session. Each action returns the changed fields. */

type Acted = AskedSession & SessionState;

export interface NewPayment {
  amount: Decimal;
  /** Seconds from the payment to its settlement. Null: a tester settles it on the page. */
  settlesSeconds: number | null;
  risk: Payment['risk'];
}

/**
 * Makes a payment: in time, late, or a second one. The status of the session does not matter.
 * @param at a time in the future plans the payment
 */
export function pay(
  session: Acted,
  { amount, settlesSeconds, risk }: NewPayment,
  at: Date,
): Pick<SessionState, 'payments' | 'disputes'> {
  const made: Payment = {
    id: typeidUnboxed('ckp'),
    amount,
    risk,
    paidAt: at,
    failedAt: null,
    settlesAt: settlesSeconds === null ? null : secondsAfter(at, settlesSeconds),
  };
  return {
    payments: [...session.payments, made],
    disputes: [...session.disputes, ...disputesOf(session, amount, at)],
  };
}

/** The dispute that the session's amount plans for a payment. */
function disputesOf(session: Acted, amount: Decimal, paidAt: Date): Dispute[] {
  const { disputedSeconds, disputeEnds, disputeTurnsSeconds } = scenarioOf(session.amount);
  if (disputedSeconds === undefined) return [];
  const opensAt = secondsAfter(paidAt, disputedSeconds);
  const endsAt = disputeEnds ? secondsAfter(opensAt, disputeEnds.seconds) : null;
  const turnedAt =
    endsAt && disputeTurnsSeconds !== undefined ? secondsAfter(endsAt, disputeTurnsSeconds) : null;
  const outcome = disputeEnds?.outcome ?? null;
  return [{ id: typeidUnboxed('ckd'), amount, opensAt, endsAt, outcome, turnedAt }];
}

/**
 * Pays as the session's amount says, else as an ordinary payer.
 * @param at as of {@link pay}
 */
export function payByScenario(session: Acted, at: Date): Partial<SessionState> {
  const scenario = scenarioOf(session.amount);
  const { failureCode, paysLess, paysAgainSeconds, settlesSeconds = 0, risk = 'normal' } = scenario;
  if (failureCode !== undefined) return fail(session, failureCode, at);
  const amount =
    paysLess === undefined ? session.amount : maxOf(session.amount.minus(paysLess), new Decimal(1));
  const payment: NewPayment = { amount, settlesSeconds, risk };
  const paid = pay(session, payment, at);
  if (paysAgainSeconds === undefined) return paid;
  return pay({ ...session, ...paid }, payment, secondsAfter(at, paysAgainSeconds));
}

/** Plans what the amount of a new session causes without a payer. */
export function begin(session: Session, at: Date): Partial<SessionState> {
  const { expiresSeconds, paysItselfSeconds, paysAfterExpirySeconds, cancelsItself } = scenarioOf(
    session.amount,
  );
  if (cancelsItself) return CANCELLED;
  if (paysItselfSeconds !== undefined) return payByScenario(session, secondsAfter(at, paysItselfSeconds));
  if (paysAfterExpirySeconds !== undefined)
    return payByScenario(session, secondsAfter(session.expiresAt, paysAfterExpirySeconds));
  return expiresSeconds === undefined ? {} : { expiresAt: secondsAfter(at, expiresSeconds) };
}

/** Fails the payment: it is declined, or the payer's bank takes it back before it is settled. */
export const fail = (session: Acted, failureCode: string, at: Date): Partial<SessionState> => ({
  payments: endedPayments(session, { failedAt: at }, at),
  status: 'failed',
  failureCode,
});

export const CANCELLED = { status: 'cancelled' } satisfies Partial<SessionState>;

export const settle = (session: Acted, at: Date): Partial<SessionState> => ({
  payments: endedPayments(session, { settlesAt: at }, at),
});

/** Settles or fails the payments that were made and are not settled. */
const endedPayments = (
  { payments }: Acted,
  end: Partial<Pick<Payment, 'settlesAt' | 'failedAt'>>,
  at: Date,
): Payment[] =>
  payments.map((payment) => {
    const { paidAt, settlesAt, failedAt } = payment;
    const isOpen = failedAt === null && paidAt <= at && (settlesAt === null || settlesAt > at);
    return isOpen ? { ...payment, ...end } : payment;
  });

/** Drops the planned payments, because a tester has acted. */
export const withoutPlanned = (session: Session, at: Date): Session => ({
  ...session,
  payments: session.payments.filter(({ paidAt }) => paidAt <= at),
});

/** Opens a dispute. The payer's bank takes the money back until the dispute is decided. */
export function dispute({ disputes }: Acted, amount: Decimal, at: Date): Partial<SessionState> {
  const undecided = { endsAt: null, outcome: null, turnedAt: null };
  return { disputes: [...disputes, { id: typeidUnboxed('ckd'), amount, opensAt: at, ...undecided }] };
}

/** Decides the open disputes. */
export const decideDisputes = (
  { disputes }: Acted,
  outcome: 'won' | 'lost',
  at: Date,
): Partial<SessionState> => ({
  disputes: disputes.map((one) => {
    const isOpen = one.opensAt <= at && (one.endsAt === null || one.endsAt > at);
    return isOpen ? { ...one, outcome, endsAt: at, turnedAt: null } : one;
  }),
});

/** The code with which a refund is refused. Undefined where it is accepted. */
export function refundRefusal(
  session: Session,
  { amount, currency }: { amount: Decimal; currency: string },
  at: Date,
): string | undefined {
  if (!['paid', 'settled'].includes(statusAt(session, at))) return 'not_paid';
  if (currency !== session.currency) return 'wrong_currency';
  return amount.gt(refundable(session, at)) ? 'amount_too_large' : undefined;
}

/** @param key null for a refund that the party makes unasked */
export function refund(
  session: Acted,
  amount: Decimal,
  key: string | null,
  at: Date,
): Pick<SessionState, 'refunds'> {
  const { refundSeconds = 0, refundFails = false, refundUndoneSeconds } = scenarioOf(session.amount);
  const endsAt = secondsAfter(at, refundSeconds);
  const made = {
    id: typeidUnboxed('ckr'),
    key,
    amount,
    endsAt,
    outcome: refundFails ? ('failed' as const) : ('succeeded' as const),
    undoneAt: refundUndoneSeconds === undefined ? null : secondsAfter(endsAt, refundUndoneSeconds),
  };
  return { refunds: [...session.refunds, made] };
}
