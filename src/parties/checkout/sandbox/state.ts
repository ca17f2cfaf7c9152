import type { Sql } from '../../../kernel/db/database';
import { type Decimal, formatAmount, ZERO } from '../../../kernel/money/money';
import { type Dispute, disputesOf, type Refund, refundsOf, type Session } from './store';

/** A session with all that has become of its money. */
export interface FullSession {
  session: Session;
  refunds: Refund[];
  disputes: Dispute[];
}

export async function loadFullSession(sql: Sql, session: Session): Promise<FullSession> {
  const [refunds, disputes] = await Promise.all([refundsOf(sql, session.id), disputesOf(sql, session.id)]);
  return { session, refunds, disputes };
}

export type SessionStatus = 'open' | 'paid' | 'settled' | 'failed' | 'cancelled' | 'expired';

/** Time alone expires what is open and settles what is paid. */
export function statusAt({ status, expiresAt, settlesAt }: Session, at: Date): SessionStatus {
  if (status === 'open') return expiresAt <= at ? 'expired' : 'open';
  return status === 'paid' && settlesAt !== null && settlesAt <= at ? 'settled' : status;
}

export const refundStatusAt = ({ endsAt, outcome }: Refund, at: Date) => (endsAt <= at ? outcome : 'pending');

export const disputeStatusAt = ({ endsAt, outcome }: Dispute, at: Date): 'open' | 'won' | 'lost' =>
  endsAt !== null && endsAt <= at && outcome ? outcome : 'open';

/** What can still be refunded: neither back with the payer nor on the way. */
export function refundable({ session, refunds }: FullSession, at: Date): Decimal {
  const gone = refunds.filter((refund) => refundStatusAt(refund, at) !== 'failed');
  return gone.reduce((left, { amount }) => left.minus(amount), session.paidAmount ?? ZERO);
}

/** What the party says of a session now, whole: its word. */
export function wordAt({ session, refunds, disputes }: FullSession, at: Date) {
  const { id, key, currency, paidAmount, failureCode, risk } = session;
  const status = statusAt(session, at);
  const money = (amount: Decimal) => ({ amount: formatAmount(amount, currency), currency });
  return {
    sessionId: id,
    key,
    page: status === 'settled' ? 'paid' : status,
    payments: paidAmount
      ? [{ id: `${id}-payment`, ...money(paidAmount), status: status === 'settled' ? 'settled' : 'pending' }]
      : [],
    risk,
    ...(failureCode ? { failureCode } : {}),
    refunds: refunds.map((refund) => ({
      id: refund.id,
      ...(refund.key === null ? {} : { key: refund.key }),
      ...money(refund.amount),
      status: refundStatusAt(refund, at),
    })),
    disputes: disputes
      .filter(({ opensAt }) => opensAt <= at)
      .map((dispute) => ({
        id: dispute.id,
        ...money(dispute.amount),
        status: disputeStatusAt(dispute, at),
      })),
  };
}
