import { typeidUnboxed } from 'typeid-js';
import type { Tx } from '../../../kernel/db/database';
import { Decimal, maxOf, ZERO } from '../../../kernel/money/money';
import { secondsAfter } from '../../sandbox/time';
import { scenarioOf } from './scenarios';
import { type FullSession, refundable, statusAt } from './state';
import { endDisputes, insertDispute, insertRefund, type Refund, type Session, saveSession } from './store';

/** What has happened at the party; `moments` are those at which more will happen by itself. */
export interface Change {
  session: Session;
  moments: Date[];
}

export interface Payment {
  amount: Decimal;
  /** From the payment to its settlement; null: when somebody says so. */
  settlesSeconds: number | null;
  risk: 'normal' | 'review';
}

/** The payer has paid: in time, late, or once more. The money is taken whatever the session has come to. */
export async function pay(tx: Tx, session: Session, payment: Payment, at: Date): Promise<Change> {
  const { amount, settlesSeconds, risk } = payment;
  const settlesAt = settlesSeconds === null ? null : secondsAfter(at, settlesSeconds);
  const paid: Session = {
    ...session,
    status: 'paid',
    paidAmount: (session.paidAmount ?? ZERO).plus(amount),
    settlesAt: session.settlesAt ?? settlesAt,
    risk: session.risk === 'review' ? 'review' : risk,
    failureCode: null,
  };
  await saveSession(tx, paid);
  const { disputedSeconds } = scenarioOf(session.amount);
  const disputed =
    disputedSeconds === undefined ? [] : await disputeLater(tx, paid, secondsAfter(at, disputedSeconds));
  return { session: paid, moments: [...(paid.settlesAt ? [paid.settlesAt] : []), ...disputed] };
}

async function disputeLater(tx: Tx, session: Session, opensAt: Date): Promise<Date[]> {
  const { disputeEnds } = scenarioOf(session.amount);
  const endsAt = disputeEnds ? secondsAfter(opensAt, disputeEnds.seconds) : null;
  await insertDispute(tx, {
    id: typeidUnboxed('ckd'),
    sessionId: session.id,
    amount: session.paidAmount ?? session.amount,
    opensAt,
    endsAt,
    outcome: disputeEnds?.outcome ?? null,
  });
  return endsAt ? [opensAt, endsAt] : [opensAt];
}

/** As the payer would pay who does nothing out of the ordinary, where the session's amount says nothing else. */
export function payByScenario(tx: Tx, session: Session, at: Date): Promise<Change> {
  const { failureCode, paysLess, settlesSeconds = 0, risk = 'normal' } = scenarioOf(session.amount);
  if (failureCode !== undefined) return fail(tx, session, failureCode);
  const amount =
    paysLess === undefined ? session.amount : maxOf(session.amount.minus(paysLess), new Decimal(1));
  return pay(tx, session, { amount, settlesSeconds, risk }, at);
}

/** Declined, or taken back by the payer's bank before it was settled. */
export async function fail(tx: Tx, session: Session, failureCode: string): Promise<Change> {
  return saved(tx, { ...session, status: 'failed', paidAmount: null, settlesAt: null, failureCode });
}

export const cancel = (tx: Tx, session: Session): Promise<Change> =>
  saved(tx, { ...session, status: 'cancelled' });

export const settle = (tx: Tx, session: Session, at: Date): Promise<Change> =>
  saved(tx, { ...session, settlesAt: at });

async function saved(tx: Tx, session: Session): Promise<Change> {
  await saveSession(tx, session);
  return { session, moments: [] };
}

/** The payer's bank takes the money back until it is decided who is right. */
export async function dispute(tx: Tx, session: Session, amount: Decimal, at: Date): Promise<Change> {
  const id = typeidUnboxed('ckd');
  await insertDispute(tx, { id, sessionId: session.id, amount, opensAt: at, endsAt: null, outcome: null });
  return { session, moments: [] };
}

export async function decideDisputes(
  tx: Tx,
  session: Session,
  outcome: 'won' | 'lost',
  at: Date,
): Promise<Change> {
  await endDisputes(tx, session.id, outcome, at);
  return { session, moments: [] };
}

/** Why a refund is not taken; nothing when it is. */
export function refundRefusal(
  full: FullSession,
  amount: Decimal,
  currency: string,
  at: Date,
): string | undefined {
  if (!['paid', 'settled'].includes(statusAt(full.session, at))) return 'not_paid';
  if (currency !== full.session.currency) return 'wrong_currency';
  return amount.gt(refundable(full, at)) ? 'amount_too_large' : undefined;
}

/** @param key absent on a refund that the party makes of its own accord */
export async function refund(
  tx: Tx,
  session: Session,
  amount: Decimal,
  key: string | null,
  at: Date,
): Promise<Change & { refund: Refund }> {
  const { refundSeconds = 0, refundFails = false } = scenarioOf(session.amount);
  const made: Refund = {
    id: typeidUnboxed('ckr'),
    sessionId: session.id,
    key,
    amount,
    endsAt: secondsAfter(at, refundSeconds),
    outcome: refundFails ? 'failed' : 'succeeded',
  };
  await insertRefund(tx, made);
  return { session, moments: [made.endsAt], refund: made };
}
