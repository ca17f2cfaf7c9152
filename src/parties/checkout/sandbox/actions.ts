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

/** What can happen to a session. Whoever calls holds its row, and records that it has changed. */

export interface NewPayment {
  amount: Decimal;
  /** From the payment to its settlement; null: when somebody says so. */
  settlesSeconds: number | null;
  risk: Payment['risk'];
}

/**
 * The payer pays: in time, late, or once more. The money is taken whatever the session has come to.
 * @param at may be in the future: it is paid then
 */
export async function pay(tx: Tx, session: Session, payment: NewPayment, at: Date): Promise<void> {
  const { amount, settlesSeconds, risk } = payment;
  await insertPayment(tx, {
    ...{ id: typeidUnboxed('ckp'), sessionId: session.id, amount, risk },
    ...{ paidAt: at, failedAt: null },
    settlesAt: settlesSeconds === null ? null : secondsAfter(at, settlesSeconds),
  });
  const { disputedSeconds, disputeEnds, disputeTurnsSeconds } = scenarioOf(session.amount);
  if (disputedSeconds === undefined) return;
  const opensAt = secondsAfter(at, disputedSeconds);
  const endsAt = disputeEnds ? secondsAfter(opensAt, disputeEnds.seconds) : null;
  await insertDispute(tx, {
    ...{ id: typeidUnboxed('ckd'), sessionId: session.id, amount, opensAt, endsAt },
    outcome: disputeEnds?.outcome ?? null,
    turnedAt: endsAt && disputeTurnsSeconds !== undefined ? secondsAfter(endsAt, disputeTurnsSeconds) : null,
  });
}

/**
 * As the payer would pay who does nothing out of the ordinary, where the session's amount says nothing else.
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

/** What a new session's amount makes happen without any payer. */
export async function begin(tx: Tx, session: Session, at: Date): Promise<void> {
  const { paysItselfSeconds, paysAfterExpirySeconds, cancelsItself } = scenarioOf(session.amount);
  if (cancelsItself) await cancel(tx, session);
  if (paysItselfSeconds !== undefined) await payByScenario(tx, session, secondsAfter(at, paysItselfSeconds));
  if (paysAfterExpirySeconds !== undefined)
    await payByScenario(tx, session, secondsAfter(session.expiresAt, paysAfterExpirySeconds));
}

/** Declined, or taken back by the payer's bank before it was settled. */
export async function fail(tx: Tx, session: Session, failureCode: string, at: Date): Promise<void> {
  await endPayments(tx, session.id, { failedAt: at }, at);
  await saveSession(tx, { ...session, status: 'failed', failureCode });
}

export const cancel = (tx: Tx, session: Session): Promise<void> =>
  saveSession(tx, { ...session, status: 'cancelled' });

export const settle = (tx: Tx, session: Session, at: Date): Promise<void> =>
  endPayments(tx, session.id, { settlesAt: at }, at);

/** The payer's bank takes the money back until it is decided who is right. */
export function dispute(tx: Tx, session: Session, amount: Decimal, at: Date): Promise<void> {
  const undecided = { endsAt: null, outcome: null, turnedAt: null };
  return insertDispute(tx, {
    ...{ id: typeidUnboxed('ckd'), sessionId: session.id, amount, opensAt: at },
    ...undecided,
  });
}

export const decideDisputes = (tx: Tx, session: Session, outcome: 'won' | 'lost', at: Date): Promise<void> =>
  endDisputes(tx, session.id, outcome, at);

/** Why a refund is not taken; nothing when it is. */
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

/** @param key null on a refund that the party makes of its own accord */
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
    ...{ id: typeidUnboxed('ckr'), sessionId: session.id, key, amount, endsAt },
    outcome: refundFails ? 'failed' : 'succeeded',
    undoneAt: refundUndoneSeconds === undefined ? null : secondsAfter(endsAt, refundUndoneSeconds),
  });
}
