import { typeidUnboxed } from 'typeid-js';
import type { Tx } from '../../../kernel/db/database';
import { Decimal, maxOf } from '../../../kernel/money/money';
import { secondsAfter } from '../../sandbox/time';
import { scenarioOf } from './scenarios';
import { type FullSession, refundable, statusAt } from './state';
import {
  endDisputes,
  endPayments,
  insertDispute,
  insertPayment,
  insertRefund,
  type Payment,
  type Session,
  saveSession,
} from './store';

/** Actions on a session. The caller holds the lock of its row and records the change. */

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
export async function pay(tx: Tx, session: Session, payment: NewPayment, at: Date): Promise<void> {
  const { amount, settlesSeconds, risk } = payment;
  await insertPayment(tx, {
    id: typeidUnboxed('ckp'),
    sessionId: session.id,
    amount,
    risk,
    paidAt: at,
    failedAt: null,
    settlesAt: settlesSeconds === null ? null : secondsAfter(at, settlesSeconds),
  });
  const { disputedSeconds, disputeEnds, disputeTurnsSeconds } = scenarioOf(session.amount);
  if (disputedSeconds === undefined) return;
  const opensAt = secondsAfter(at, disputedSeconds);
  const endsAt = disputeEnds ? secondsAfter(opensAt, disputeEnds.seconds) : null;
  await insertDispute(tx, {
    id: typeidUnboxed('ckd'),
    sessionId: session.id,
    amount,
    opensAt,
    endsAt,
    outcome: disputeEnds?.outcome ?? null,
    turnedAt: endsAt && disputeTurnsSeconds !== undefined ? secondsAfter(endsAt, disputeTurnsSeconds) : null,
  });
}

/**
 * Pays as the session's amount says, else as an ordinary payer.
 * @param at as of {@link pay}
 */
export async function payByScenario(tx: Tx, session: Session, at: Date): Promise<void> {
  const scenario = scenarioOf(session.amount);
  const { failureCode, paysLess, paysAgainSeconds, settlesSeconds = 0, risk = 'normal' } = scenario;
  if (failureCode !== undefined) return fail(tx, session, failureCode, at);
  const amount =
    paysLess === undefined ? session.amount : maxOf(session.amount.minus(paysLess), new Decimal(1));
  const payment: NewPayment = { amount, settlesSeconds, risk };
  await pay(tx, session, payment, at);
  if (paysAgainSeconds !== undefined) await pay(tx, session, payment, secondsAfter(at, paysAgainSeconds));
}

/** Plans what the amount of a new session causes without a payer. */
export async function begin(tx: Tx, session: Session, at: Date): Promise<void> {
  const { paysItselfSeconds, paysAfterExpirySeconds, cancelsItself } = scenarioOf(session.amount);
  if (cancelsItself) await cancel(tx, session);
  if (paysItselfSeconds !== undefined) await payByScenario(tx, session, secondsAfter(at, paysItselfSeconds));
  if (paysAfterExpirySeconds !== undefined)
    await payByScenario(tx, session, secondsAfter(session.expiresAt, paysAfterExpirySeconds));
}

/** Fails the payment: it is declined, or the payer's bank takes it back before it is settled. */
export async function fail(tx: Tx, session: Session, failureCode: string, at: Date): Promise<void> {
  await endPayments(tx, session.id, { failedAt: at }, at);
  await saveSession(tx, { ...session, status: 'failed', failureCode });
}

export const cancel = (tx: Tx, session: Session): Promise<void> =>
  saveSession(tx, { ...session, status: 'cancelled' });

export const settle = (tx: Tx, session: Session, at: Date): Promise<void> =>
  endPayments(tx, session.id, { settlesAt: at }, at);

/** Opens a dispute. The payer's bank takes the money back until the dispute is decided. */
export function dispute(tx: Tx, session: Session, amount: Decimal, at: Date): Promise<void> {
  const undecided = { endsAt: null, outcome: null, turnedAt: null };
  return insertDispute(tx, {
    id: typeidUnboxed('ckd'),
    sessionId: session.id,
    amount,
    opensAt: at,
    ...undecided,
  });
}

export const decideDisputes = (tx: Tx, session: Session, outcome: 'won' | 'lost', at: Date): Promise<void> =>
  endDisputes(tx, session.id, outcome, at);

/** The code with which a refund is refused. Undefined where it is accepted. */
export function refundRefusal(
  full: FullSession,
  amount: Decimal,
  currency: string,
  at: Date,
): string | undefined {
  if (!['paid', 'settled'].includes(statusAt(full, at))) return 'not_paid';
  if (currency !== full.session.currency) return 'wrong_currency';
  return amount.gt(refundable(full, at)) ? 'amount_too_large' : undefined;
}

/** @param key null for a refund that the party makes unasked */
export function refund(
  tx: Tx,
  session: Session,
  amount: Decimal,
  key: string | null,
  at: Date,
): Promise<void> {
  const { refundSeconds = 0, refundFails = false, refundUndoneSeconds } = scenarioOf(session.amount);
  const endsAt = secondsAfter(at, refundSeconds);
  return insertRefund(tx, {
    id: typeidUnboxed('ckr'),
    sessionId: session.id,
    key,
    amount,
    endsAt,
    outcome: refundFails ? 'failed' : 'succeeded',
    undoneAt: refundUndoneSeconds === undefined ? null : secondsAfter(endsAt, refundUndoneSeconds),
  });
}
