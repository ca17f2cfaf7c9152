import type { Tx } from '../../../kernel/db/database';
import { type Decimal, formatAmount, sumOf } from '../../../kernel/money/money';
import { distinct, type Moment } from '../../sandbox/changes';
import { scenarioOf } from './scenarios';
import {
  type Dispute,
  disputesOf,
  lockSession,
  type Payment,
  paymentsOf,
  type Refund,
  refundsOf,
  type Session,
} from './store';

export interface FullSession {
  session: Session;
  payments: Payment[];
  refunds: Refund[];
  disputes: Dispute[];
}

/** Locks the session before its parts are read, so that its recorded changes and its state agree. */
export async function lockFullSession(
  tx: Tx,
  id: string,
  lock: 'share' | 'update',
): Promise<FullSession | undefined> {
  const [session, payments, refunds, disputes] = await Promise.all([
    lockSession(tx, id, lock),
    paymentsOf(tx, id),
    refundsOf(tx, id),
    disputesOf(tx, id),
  ]);
  return session && { session, payments, refunds, disputes };
}

const hasCome = (moment: Date | null, at: Date): boolean => moment !== null && moment <= at;

export type SessionStatus = 'open' | 'paid' | 'settled' | 'failed' | 'cancelled' | 'expired';

/** Time alone expires an open session and settles a paid one. */
export function statusAt(full: FullSession, at: Date): SessionStatus {
  const { status, expiresAt } = full.session;
  const made = madeAt(full, at);
  if (made.length > 0)
    return made.every((payment) => paymentStatusAt(payment, at) === 'settled') ? 'settled' : 'paid';
  return status === 'open' && hasCome(expiresAt, at) ? 'expired' : status;
}

export function paymentStatusAt(
  { settlesAt, failedAt }: Payment,
  at: Date,
): 'pending' | 'settled' | 'failed' {
  if (hasCome(failedAt, at)) return 'failed';
  return hasCome(settlesAt, at) ? 'settled' : 'pending';
}

/** Payments that were made and have not failed. */
const madeAt = ({ payments }: FullSession, at: Date): Payment[] =>
  payments.filter(({ paidAt, failedAt }) => hasCome(paidAt, at) && !hasCome(failedAt, at));

/** The sum of the payments that were made and have not failed. */
export const paidAt = (full: FullSession, at: Date): Decimal => sumOf(madeAt(full, at));

export const isRisky = (full: FullSession, at: Date): boolean =>
  madeAt(full, at).some(({ risk }) => risk === 'review');

export function refundStatusAt({ endsAt, outcome, undoneAt }: Refund, at: Date) {
  if (hasCome(undoneAt, at)) return 'failed';
  return hasCome(endsAt, at) ? outcome : 'pending';
}

export function disputeStatusAt({ endsAt, outcome, turnedAt }: Dispute, at: Date): 'open' | 'won' | 'lost' {
  if (!hasCome(endsAt, at) || !outcome) return 'open';
  if (!hasCome(turnedAt, at)) return outcome;
  return outcome === 'won' ? 'lost' : 'won';
}

/** The paid amount that has neither gone back to the payer nor is on the way. */
export function refundable(full: FullSession, at: Date): Decimal {
  const gone = full.refunds.filter((refund) => refundStatusAt(refund, at) !== 'failed');
  return paidAt(full, at).minus(sumOf(gone));
}

/**
 * The times at which the session changes by itself. The ordered expiry sends no callback, because the orderer knows it.
 */
export function momentsOf(full: FullSession, at: Date): Moment[] {
  const { session, payments, refunds, disputes } = full;
  const moments = distinct([
    ...payments.flatMap((payment) => [payment.paidAt, payment.settlesAt, payment.failedAt]),
    ...refunds.flatMap(({ endsAt, undoneAt }) => [endsAt, undoneAt]),
    ...disputes.flatMap(({ opensAt, endsAt, turnedAt }) => [opensAt, endsAt, turnedAt]),
  ]);
  const quiet = scenarioOf(session.amount).expiresSeconds === undefined;
  const expires = statusAt(full, at) === 'open' ? [{ at: session.expiresAt, quiet }] : [];
  return [...expires, ...moments];
}

/** The party's whole state of a session at that time. */
export function wordAt(full: FullSession, version: number, at: Date) {
  const { session, payments, refunds, disputes } = full;
  const { id, key, currency, failureCode } = session;
  const status = statusAt(full, at);
  const page = status === 'settled' ? 'paid' : status;
  const money = (amount: Decimal) => ({ amount: formatAmount(amount, currency), currency });
  return {
    sessionId: id,
    key,
    version,
    page,
    payments: payments
      .filter((payment) => hasCome(payment.paidAt, at))
      .map((payment) => ({
        id: payment.id,
        ...money(payment.amount),
        status: paymentStatusAt(payment, at),
      })),
    risk: isRisky(full, at) ? 'review' : 'normal',
    ...(page === 'failed' && failureCode ? { failureCode } : {}),
    refunds: refunds.map((refund) => ({
      id: refund.id,
      key: refund.key ?? undefined,
      ...money(refund.amount),
      status: refundStatusAt(refund, at),
    })),
    disputes: disputes
      .filter(({ opensAt }) => hasCome(opensAt, at))
      .map((dispute) => ({
        id: dispute.id,
        ...money(dispute.amount),
        status: disputeStatusAt(dispute, at),
      })),
  };
}
