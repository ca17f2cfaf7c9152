import type { Sql } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';

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

const SESSION = `id, key, page, method, amount, currency, merchant, return_url as "returnUrl", callback_url as "callbackUrl",
  expires_at as "expiresAt", first_asked_at as "firstAskedAt", calls, status, paid_amount as "paidAmount",
  settles_at as "settlesAt", risk, failure_code as "failureCode"`;
const REFUND = `id, session_id as "sessionId", key, amount, ends_at as "endsAt", outcome`;
const DISPUTE = `id, session_id as "sessionId", amount, opens_at as "opensAt", ends_at as "endsAt", outcome`;

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
  await tx.query(
    `insert into sandbox_checkout_sessions (id, key, page, method, amount, currency, merchant, return_url, callback_url,
       expires_at, first_asked_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (key) do nothing`,
    [
      order.id,
      order.key,
      order.page,
      order.method,
      order.amount.toFixed(),
      order.currency,
      order.merchant,
      order.returnUrl,
      order.callbackUrl,
      order.expiresAt,
      at,
    ],
  );
  return one(tx, 'key = $1 for update', order.key) as Promise<Session>;
}

export async function countCall(tx: Sql, id: string): Promise<void> {
  await tx.query('update sandbox_checkout_sessions set calls = calls + 1 where id = $1', [id]);
}

/** Of a session that somebody was told of. */
export const findSession = (sql: Sql, id: string) => one(sql, 'id = $1', id);
export const lockSession = (tx: Sql, id: string) => one(tx, 'id = $1 for update', id);
export const findByPage = (sql: Sql, page: string) => one(sql, 'page = $1', page);

async function one(sql: Sql, where: string, value: string): Promise<Session | undefined> {
  const [row] = await sql.query<Row<Session>>(
    `select ${SESSION} from sandbox_checkout_sessions where ${where}`,
    [value],
  );
  return row && sessionOf(row);
}

export async function saveSession(tx: Sql, session: Session): Promise<void> {
  const { id, status, paidAmount, settlesAt, risk, failureCode } = session;
  await tx.query(
    `update sandbox_checkout_sessions
        set status = $2, paid_amount = $3, settles_at = $4, risk = $5, failure_code = $6 where id = $1`,
    [id, status, paidAmount?.toFixed() ?? null, settlesAt, risk, failureCode],
  );
}

export async function refundsOf(sql: Sql, sessionId: string): Promise<Refund[]> {
  const rows = await sql.query<Row<Refund>>(
    `select ${REFUND} from sandbox_checkout_refunds where session_id = $1 order by id`,
    [sessionId],
  );
  return rows.map((row) => amountOf<Refund>(row));
}

export async function insertRefund(tx: Sql, refund: Refund): Promise<void> {
  await tx.query(
    `insert into sandbox_checkout_refunds (id, session_id, key, amount, ends_at, outcome)
     values ($1, $2, $3, $4, $5, $6)`,
    [refund.id, refund.sessionId, refund.key, refund.amount.toFixed(), refund.endsAt, refund.outcome],
  );
}

export async function disputesOf(sql: Sql, sessionId: string): Promise<Dispute[]> {
  const rows = await sql.query<Row<Dispute>>(
    `select ${DISPUTE} from sandbox_checkout_disputes where session_id = $1 order by id`,
    [sessionId],
  );
  return rows.map((row) => amountOf<Dispute>(row));
}

export async function insertDispute(tx: Sql, dispute: Dispute): Promise<void> {
  await tx.query(
    `insert into sandbox_checkout_disputes (id, session_id, amount, opens_at, ends_at, outcome)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      dispute.id,
      dispute.sessionId,
      dispute.amount.toFixed(),
      dispute.opensAt,
      dispute.endsAt,
      dispute.outcome,
    ],
  );
}

/** Those that are open are decided now. */
export async function endDisputes(
  tx: Sql,
  sessionId: string,
  outcome: 'won' | 'lost',
  at: Date,
): Promise<void> {
  await tx.query(
    `update sandbox_checkout_disputes set outcome = $2, ends_at = $3
      where session_id = $1 and opens_at <= $3 and (ends_at is null or ends_at > $3)`,
    [sessionId, outcome, at],
  );
}
