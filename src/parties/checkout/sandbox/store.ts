import { raw, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import { lockByKey } from '../../sandbox/rows';

export type CheckoutMethod = 'card' | 'bank_transfer' | 'crypto';

/** What is asked for when a session is made. */
export interface SessionOrder {
  key: string;
  method: CheckoutMethod;
  amount: Decimal;
  currency: string;
  merchant: string;
  returnUrl: string;
  callbackUrl: string;
  expiresAt: Date;
}

export interface Session extends SessionOrder {
  id: string;
  /** The secret part of its page's address. */
  page: string;
  firstAskedAt: Date;
  /** How often it was asked for. */
  calls: number;
  status: 'open' | 'paid' | 'failed' | 'cancelled';
  paidAmount: Decimal | null;
  settlesAt: Date | null;
  risk: 'normal' | 'review';
  failureCode: string | null;
}

export interface Refund {
  id: string;
  sessionId: string;
  key: string | null;
  amount: Decimal;
  endsAt: Date;
  outcome: 'succeeded' | 'failed';
}

export interface Dispute {
  id: string;
  sessionId: string;
  amount: Decimal;
  opensAt: Date;
  endsAt: Date | null;
  outcome: 'won' | 'lost' | null;
}

const SESSIONS = 'sandbox_checkout_sessions';
const SESSION = [
  ...[
    'id',
    'key',
    'page',
    'method',
    'amount',
    'currency',
    'merchant',
    'returnUrl',
    'callbackUrl',
    'expiresAt',
  ],
  ...['firstAskedAt', 'calls', 'status', 'paidAmount', 'settlesAt', 'risk', 'failureCode'],
];
const REFUNDS = 'sandbox_checkout_refunds';
const REFUND = ['id', 'sessionId', 'key', 'amount', 'endsAt', 'outcome'];
const DISPUTES = 'sandbox_checkout_disputes';
const DISPUTE = ['id', 'sessionId', 'amount', 'opensAt', 'endsAt', 'outcome'];

type Row<T> = Omit<T, 'amount' | 'paidAmount'> & { amount: string; paidAmount?: string | null };

const amountOf = <T>(row: Row<T>) => ({ ...row, amount: new Decimal(row.amount) }) as T;
const sessionOf = (row: Row<Session>): Session => ({
  ...amountOf<Session>(row),
  paidAmount: row.paidAmount ? new Decimal(row.paidAmount) : null,
});

/** The session of that key, locked; noted at the first call. */
export async function lockOrder(
  tx: Sql,
  order: SessionOrder & Pick<Session, 'id' | 'page'>,
  at: Date,
): Promise<Session> {
  const row = { ...order, amount: order.amount.toFixed(), firstAskedAt: at };
  return sessionOf(await lockByKey<Row<Session>>(tx, SESSIONS, row, SESSION));
}

export async function countCall(tx: Sql, id: string): Promise<void> {
  await tx.run(
    table(SESSIONS)
      .where({ id })
      .update({ calls: raw('calls + 1') }),
  );
}

/** A session that somebody was told of. */
export const findSession = (sql: Sql, id: string) => find(sql, { id });
export const findByPage = (sql: Sql, page: string) => find(sql, { page });
export const lockSession = (tx: Sql, id: string) => find(tx, { id }, 'lock');

async function find(sql: Sql, by: Record<string, string>, lock?: 'lock'): Promise<Session | undefined> {
  const query = table(SESSIONS).select(SESSION).where(by);
  const [row] = await sql.run<Row<Session>>(lock ? query.forUpdate() : query);
  return row && sessionOf(row);
}

export async function saveSession(tx: Sql, session: Session): Promise<void> {
  const { id, status, paidAmount, settlesAt, risk, failureCode } = session;
  await tx.run(
    table(SESSIONS)
      .where({ id })
      .update({ status, paidAmount: paidAmount?.toFixed() ?? null, settlesAt, risk, failureCode }),
  );
}

export async function refundsOf(sql: Sql, sessionId: string): Promise<Refund[]> {
  const rows = await sql.run<Row<Refund>>(table(REFUNDS).select(REFUND).where({ sessionId }).orderBy('id'));
  return rows.map((row) => amountOf<Refund>(row));
}

export async function insertRefund(tx: Sql, refund: Refund): Promise<void> {
  await tx.run(table(REFUNDS).insert({ ...refund, amount: refund.amount.toFixed() }));
}

export async function disputesOf(sql: Sql, sessionId: string): Promise<Dispute[]> {
  const rows = await sql.run<Row<Dispute>>(
    table(DISPUTES).select(DISPUTE).where({ sessionId }).orderBy('id'),
  );
  return rows.map((row) => amountOf<Dispute>(row));
}

export async function insertDispute(tx: Sql, dispute: Dispute): Promise<void> {
  await tx.run(table(DISPUTES).insert({ ...dispute, amount: dispute.amount.toFixed() }));
}

/** Those that are open are decided now. */
export async function endDisputes(
  tx: Sql,
  sessionId: string,
  outcome: 'won' | 'lost',
  at: Date,
): Promise<void> {
  await tx.run(
    table(DISPUTES)
      .where({ sessionId })
      .where('opensAt', '<=', at)
      .where((open) => void open.whereNull('endsAt').orWhere('endsAt', '>', at))
      .update({ outcome, endsAt: at }),
  );
}
