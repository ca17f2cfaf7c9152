import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
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
  /** What has become of the page without a payment. */
  status: 'open' | 'failed' | 'cancelled';
  failureCode: string | null;
}

export interface Payment {
  id: string;
  sessionId: string;
  amount: Decimal;
  /** In the future: it will be paid then. */
  paidAt: Date;
  /** null: while nobody has said so. */
  settlesAt: Date | null;
  /** Taken back by the payer's bank before it was settled. */
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
  /** It succeeded, and has failed after all. */
  undoneAt: Date | null;
}

export interface Dispute {
  id: string;
  sessionId: string;
  amount: Decimal;
  opensAt: Date;
  endsAt: Date | null;
  outcome: 'won' | 'lost' | null;
  /** The outcome is the other one from then on. */
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

/** The session of that key, locked; noted at the first call. */
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

/** Whose page that is. */
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

/** Payments that were to be made by themselves. */
export async function forgetPlanned(tx: Sql, sessionId: string, at: Date): Promise<void> {
  await tx.run(table(PAYMENTS).where({ sessionId }).where('paidAt', '>', at).delete());
}

/** Those that are there and not settled are settled, or have failed, now. */
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

/** The refund that was ordered under that key, of whichever session. */
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
      .update({ outcome, endsAt: at, turnedAt: null }),
  );
}
