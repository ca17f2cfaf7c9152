import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import { lockByKey } from '../../sandbox/rows';

export type CheckoutMethod = 'card' | 'bank_transfer' | 'crypto';

/** The order of a session. */
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
  /** The secret part of the page's address. */
  page: string;
  firstAskedAt: Date;
  /** How often the session was ordered. */
  calls: number;
  /** The page's status without a payment. */
  status: 'open' | 'failed' | 'cancelled';
  failureCode: string | null;
}

export interface Payment {
  id: string;
  sessionId: string;
  amount: Decimal;
  /** A time in the future is a planned payment. */
  paidAt: Date;
  /** Null: not settled, and no settlement is planned. */
  settlesAt: Date | null;
  /** When the payer's bank took an unsettled payment back. */
  failedAt: Date | null;
  risk: 'normal' | 'review';
}

export interface Refund {
  id: string;
  sessionId: string;
  key: string | null;
  amount: Decimal;
  endsAt: Date;
  outcome: 'succeeded' | 'failed';
  /** When a successful refund failed after all. */
  undoneAt: Date | null;
}

export interface Dispute {
  id: string;
  sessionId: string;
  amount: Decimal;
  opensAt: Date;
  endsAt: Date | null;
  outcome: 'won' | 'lost' | null;
  /** From when on the opposite outcome holds. */
  turnedAt: Date | null;
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
  ...['firstAskedAt', 'calls', 'status', 'failureCode'],
];
const PAYMENTS = 'sandbox_checkout_payments';
const PAYMENT = ['id', 'sessionId', 'amount', 'paidAt', 'settlesAt', 'failedAt', 'risk'];
const REFUNDS = 'sandbox_checkout_refunds';
const REFUND = ['id', 'sessionId', 'key', 'amount', 'endsAt', 'outcome', 'undoneAt'];
const DISPUTES = 'sandbox_checkout_disputes';
const DISPUTE = ['id', 'sessionId', 'amount', 'opensAt', 'endsAt', 'outcome', 'turnedAt'];

type Row<T> = Omit<T, 'amount'> & { amount: string };

const amountOf = <T>(row: Row<T>) => ({ ...row, amount: new Decimal(row.amount) }) as T;

/** Locks the session with that key. The first call inserts it. */
export async function lockOrder(
  tx: Sql,
  order: SessionOrder & Pick<Session, 'id' | 'page'>,
  at: Date,
): Promise<Session> {
  const row = { ...order, amount: order.amount.toFixed(), firstAskedAt: at };
  return amountOf(await lockByKey<Row<Session>>(tx, SESSIONS, row, SESSION));
}

export function countCall(tx: Tx, id: string): void {
  tx.defer(
    table(SESSIONS)
      .where({ id })
      .update({ calls: raw('calls + 1') }),
  );
}

/** The id of the session with that page. */
export async function sessionOf(sql: Sql, page: string): Promise<string | undefined> {
  const [row] = await sql.run<{ id: string }>(table(SESSIONS).select('id').where({ page }));
  return row?.id;
}

export async function lockSession(
  tx: Sql,
  id: string,
  lock: 'share' | 'update',
): Promise<Session | undefined> {
  const query = table(SESSIONS).select(SESSION).where({ id });
  const [row] = await tx.run<Row<Session>>(lock === 'share' ? query.forShare() : query.forUpdate());
  return row && amountOf<Session>(row);
}

export async function saveSession(tx: Sql, session: Session): Promise<void> {
  const { id, status, failureCode } = session;
  await tx.run(table(SESSIONS).where({ id }).update({ status, failureCode }));
}

export async function paymentsOf(sql: Sql, sessionId: string): Promise<Payment[]> {
  const query = table(PAYMENTS).select(PAYMENT).where({ sessionId }).orderBy(['paidAt', 'id']);
  const rows = await sql.run<Row<Payment>>(query);
  return rows.map((row) => amountOf<Payment>(row));
}

export async function insertPayment(tx: Sql, payment: Payment): Promise<void> {
  await tx.run(table(PAYMENTS).insert({ ...payment, amount: payment.amount.toFixed() }));
}

/** Deletes the payments that were planned. */
export async function forgetPlanned(tx: Sql, sessionId: string, at: Date): Promise<void> {
  await tx.run(table(PAYMENTS).where({ sessionId }).where('paidAt', '>', at).delete());
}

/** Settles or fails the payments that were made and are not settled. */
export async function endPayments(
  tx: Sql,
  sessionId: string,
  end: { settlesAt: Date } | { failedAt: Date },
  at: Date,
): Promise<void> {
  await tx.run(
    table(PAYMENTS)
      .where({ sessionId, failedAt: null })
      .where('paidAt', '<=', at)
      .where((unsettled) => void unsettled.whereNull('settlesAt').orWhere('settlesAt', '>', at))
      .update(end),
  );
}

export async function refundsOf(sql: Sql, sessionId: string): Promise<Refund[]> {
  const rows = await sql.run<Row<Refund>>(table(REFUNDS).select(REFUND).where({ sessionId }).orderBy('id'));
  return rows.map((row) => amountOf<Refund>(row));
}

/** The refund under that key, of any session. */
export async function refundByKey(sql: Sql, key: string): Promise<Refund | undefined> {
  const [row] = await sql.run<Row<Refund>>(table(REFUNDS).select(REFUND).where({ key }));
  return row && amountOf<Refund>(row);
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

/** Decides the open disputes. */
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
      .update({ outcome, endsAt: at, turnedAt: null }),
  );
}
