import { type Decimal, formatAmount, sumOf } from '../../../kernel/money/money';
import { distinct, type Moment } from '../../sandbox/changes';
import type { Dispute, Payment, Refund, Session } from './record';
import { scenarioOf } from './scenarios';

const hasCome = (moment: Date | null, at: Date): boolean => moment !== null && moment <= at;

export type SessionStatus = 'open' | 'paid' | 'settled' | 'failed' | 'cancelled' | 'expired';

/** Time alone expires an open session and settles a paid one. */
export function statusAt(session: Session, at: Date): SessionStatus {
  const { status, expiresAt } = session;
  const made = madeAt(session, at);
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
const madeAt = ({ payments }: Session, at: Date): Payment[] =>
  payments.filter(({ paidAt, failedAt }) => hasCome(paidAt, at) && !hasCome(failedAt, at));

/** The sum of the payments that were made and have not failed. */
export const paidAt = (session: Session, at: Date): Decimal => sumOf(madeAt(session, at));

export const isRisky = (session: Session, at: Date): boolean =>
  madeAt(session, at).some(({ risk }) => risk === 'review');

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
export function refundable(session: Session, at: Date): Decimal {
  const gone = session.refunds.filter((refund) => refundStatusAt(refund, at) !== 'failed');
  return paidAt(session, at).minus(sumOf(gone));
}

/**
 * The times at which the session changes by itself. The ordered expiry sends no callback, because the orderer knows it.
 */
export function momentsOf(session: Session, at: Date): Moment[] {
  const { payments, refunds, disputes } = session;
  const moments = distinct([
    ...payments.flatMap((payment) => [payment.paidAt, payment.settlesAt, payment.failedAt]),
    ...refunds.flatMap(({ endsAt, undoneAt }) => [endsAt, undoneAt]),
    ...disputes.flatMap(({ opensAt, endsAt, turnedAt }) => [opensAt, endsAt, turnedAt]),
  ]);
  const quiet = scenarioOf(session.amount).expiresSeconds === undefined;
  const expires = statusAt(session, at) === 'open' ? [{ at: session.expiresAt, quiet }] : [];
  return [...expires, ...moments];
}

export type SessionReport = ReturnType<typeof wordAt>;

/** The party's whole state of a session at that time. */
export function wordAt(session: Session, version: number, at: Date) {
  const { id, key, currency, failureCode, payments, refunds, disputes } = session;
  const status = statusAt(session, at);
  const page = status === 'settled' ? 'paid' : status;
  const money = (amount: Decimal) => ({ amount: formatAmount(amount, currency), currency });
  return {
    sessionId: id,
    key,
    version,
    page,
    payments: payments
      .toSorted((one, other) => one.paidAt.getTime() - other.paidAt.getTime())
      .filter((payment) => hasCome(payment.paidAt, at))
      .map((payment) => ({
        id: payment.id,
        ...money(payment.amount),
        status: paymentStatusAt(payment, at),
      })),
    risk: isRisky(session, at) ? 'review' : 'normal',
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
