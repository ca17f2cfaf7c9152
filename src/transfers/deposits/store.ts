import type { Sql } from '../../kernel/db/database';
import type { OperationKey } from '../../kernel/idempotency';
import { isId, newId } from '../../kernel/ids';
import { Decimal } from '../../kernel/money/money';
import { overdueIn } from '../../process/overdue';
import type { Deposit, DepositStatus } from './record';
import type { DepositMethod } from './settings';

type Money =
  | 'amount'
  | 'chargedAmount'
  | 'creditedAmount'
  | 'serviceFee'
  | 'rate'
  | 'feeFixed'
  | 'feePercent'
  | 'suspended'
  | 'refundedAmount';
type Row = Omit<Deposit, Money | 'paidAmount'> & Record<Money, string> & { paidAmount: string | null };

const COLUMNS = `id, tenant_id as "tenantId", account_id as "accountId", external_id as "externalId",
  quote_id as "quoteId", method, status, amount, currency, charged_amount as "chargedAmount",
  credited_amount as "creditedAmount", service_fee as "serviceFee", account_currency as "accountCurrency", rate,
  fee_fixed as "feeFixed", fee_percent as "feePercent", reference_id as "referenceId", return_url as "returnUrl",
  expires_at as "expiresAt", session_id as "sessionId", redirect_sealed as "redirectSealed",
  paid_amount as "paidAmount", paid_currency as "paidCurrency", settled_at as "settledAt", suspended, decision,
  failure, refunded_amount as "refundedAmount", refund_open as "refundOpen", idempotency_key as "idempotencyKey",
  created_at as "createdAt", updated_at as "updatedAt", completed_at as "completedAt"`;

const depositOf = (row: Row): Deposit => ({
  ...row,
  amount: new Decimal(row.amount),
  chargedAmount: new Decimal(row.chargedAmount),
  creditedAmount: new Decimal(row.creditedAmount),
  serviceFee: new Decimal(row.serviceFee),
  rate: new Decimal(row.rate),
  feeFixed: new Decimal(row.feeFixed),
  feePercent: new Decimal(row.feePercent),
  suspended: new Decimal(row.suspended),
  refundedAmount: new Decimal(row.refundedAmount),
  paidAmount: row.paidAmount === null ? null : new Decimal(row.paidAmount),
});

export type NewDeposit = Pick<
  Deposit,
  | 'id'
  | 'tenantId'
  | 'accountId'
  | 'externalId'
  | 'quoteId'
  | 'method'
  | 'status'
  | 'amount'
  | 'currency'
  | 'chargedAmount'
  | 'creditedAmount'
  | 'serviceFee'
  | 'accountCurrency'
  | 'rate'
  | 'feeFixed'
  | 'feePercent'
  | 'referenceId'
  | 'returnUrl'
  | 'expiresAt'
  | 'createdAt'
> &
  OperationKey & { tokenHash: Buffer };

export async function insertDeposit(tx: Sql, given: NewDeposit): Promise<Deposit> {
  const [row] = await tx.query<Row>(
    `insert into deposits (id, tenant_id, account_id, external_id, quote_id, method, status, amount, currency,
       charged_amount, credited_amount, service_fee, account_currency, rate, fee_fixed, fee_percent, reference_id,
       return_url, token_hash, expires_at, idempotency_key, caller_id, watched_until, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $23, $23)
     returning ${COLUMNS}`,
    [
      ...[given.id, given.tenantId, given.accountId, given.externalId, given.quoteId, given.method],
      ...[given.status, given.amount.toFixed(), given.currency, given.chargedAmount.toFixed()],
      ...[given.creditedAmount.toFixed(), given.serviceFee.toFixed(), given.accountCurrency],
      ...[given.rate.toFixed(), given.feeFixed.toFixed(), given.feePercent.toFixed(), given.referenceId],
      ...[
        given.returnUrl,
        given.tokenHash,
        given.expiresAt,
        given.idempotencyKey,
        given.callerId,
        given.createdAt,
      ],
    ],
  );
  return depositOf(row as Row);
}

/** Writes what changes in a deposit whose row is locked. */
export async function saveDeposit(tx: Sql, changed: Deposit, at: Date): Promise<Deposit> {
  const [row] = await tx.query<Row>(
    `update deposits
        set status = $2, charged_amount = $3, credited_amount = $4, service_fee = $5, session_id = $6,
            redirect_sealed = $7, paid_amount = $8, paid_currency = $9, settled_at = $10, suspended = $11,
            decision = $12, failure = $13, refunded_amount = $14, refund_open = $15, completed_at = $16,
            updated_at = greatest(updated_at, $17)
      where id = $1 returning ${COLUMNS}`,
    [
      ...[changed.id, changed.status, changed.chargedAmount.toFixed(), changed.creditedAmount.toFixed()],
      ...[changed.serviceFee.toFixed(), changed.sessionId, changed.redirectSealed],
      ...[changed.paidAmount?.toFixed(), changed.paidCurrency, changed.settledAt],
      ...[changed.suspended.toFixed(), changed.decision, changed.failure, changed.refundedAmount.toFixed()],
      ...[changed.refundOpen, changed.completedAt, at],
    ],
  );
  return depositOf(row as Row);
}

/** @param reach the tenant whose deposits may be found, or null for every tenant's */
export async function findDeposit(sql: Sql, reach: string | null, id: string): Promise<Deposit | undefined> {
  if (!isId('deposit', id)) return undefined;
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from deposits where id = $1 and ($2::text is null or tenant_id = $2)`,
    [id, reach],
  );
  return row && depositOf(row);
}

/** Holds the row to the end of the transaction. */
export async function lockDeposit(tx: Sql, id: string): Promise<Deposit | undefined> {
  if (!isId('deposit', id)) return undefined;
  const [row] = await tx.query<Row>(`select ${COLUMNS} from deposits where id = $1 for no key update`, [id]);
  return row && depositOf(row);
}

export async function findByToken(sql: Sql, tokenHash: Buffer): Promise<Deposit | undefined> {
  const [row] = await sql.query<Row>(`select ${COLUMNS} from deposits where token_hash = $1`, [tokenHash]);
  return row && depositOf(row);
}

export async function findBySession(sql: Sql, sessionId: string): Promise<Deposit | undefined> {
  const [row] = await sql.query<Row>(`select ${COLUMNS} from deposits where session_id = $1`, [sessionId]);
  return row && depositOf(row);
}

export interface DepositFilter {
  status?: DepositStatus;
  method?: DepositMethod;
  externalId?: string;
  from?: Date;
  to?: Date;
}

/** Those of an account, newest first. @param after the id that the page before ended with */
export async function listDeposits(
  sql: Sql,
  accountId: string,
  filter: DepositFilter,
  after: string | undefined,
  limit: number,
): Promise<Deposit[]> {
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from deposits
      where account_id = $1 and ($2::text is null or status = $2) and ($3::text is null or method = $3)
        and ($4::text is null or external_id = $4) and ($5::timestamptz is null or created_at >= $5)
        and ($6::timestamptz is null or created_at < $6) and ($7::text is null or id < $7)
      order by id desc limit $8`,
    [accountId, filter.status, filter.method, filter.externalId, filter.from, filter.to, after, limit],
  );
  return rows.map(depositOf);
}

/** Those of every tenant that wait for the operator, the longest first. */
export async function depositsToReview(sql: Sql, limit: number): Promise<Deposit[]> {
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from deposits where status = 'manual_review' order by updated_at limit $1`,
    [limit],
  );
  return rows.map(depositOf);
}

/** @param dueBy when its workflow will have looked again */
export async function setDueBy(sql: Sql, id: string, dueBy: Date): Promise<void> {
  await sql.query('update deposits set watched_until = $2 where id = $1', [id, dueBy]);
}

/** Open deposits whose workflow should have looked by now; the condition is the index's. */
export const overdueDeposits = overdueIn<Pick<Deposit, 'id' | 'tenantId'>>('deposits', {
  columns: ['id', 'tenantId'],
  open: `status in ('created', 'awaiting_payment', 'processing', 'manual_review') or refund_open`,
});

export async function insertDecision(
  tx: Sql,
  given: {
    depositId: string;
    decision: 'approved' | 'rejected';
    reason: string | null;
    /** `operator:<name>` at the command line. */
    decidedBy: string;
  },
): Promise<void> {
  await tx.query(
    'insert into deposit_decisions (deposit_id, decision, reason, decided_by) values ($1, $2, $3, $4)',
    [given.depositId, given.decision, given.reason, given.decidedBy],
  );
}

/** Money of a session that no deposit knows. @returns the reference of its posting; nothing when it was booked before */
export async function insertUnmatched(
  tx: Sql,
  given: { sessionId: string; amount: Decimal; currency: string },
): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    `insert into unmatched_payments (id, session_id, amount, currency) values ($1, $2, $3, $4)
     on conflict (session_id) do nothing returning id`,
    [newId('suspense'), given.sessionId, given.amount.toFixed(), given.currency],
  );
  return row?.id;
}
