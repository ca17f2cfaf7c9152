import type { Sql } from '../../kernel/db/database';
import type { OperationKey } from '../../kernel/idempotency';
import { Decimal } from '../../kernel/money/money';
import { overdueIn } from '../../process/overdue';
import type { ExternalCardTransaction } from './record';
import type { ExternalCardKind } from './rules';

type Amounts = 'amount' | 'fee' | 'returnedAmount' | 'suspended';
type Row = Omit<ExternalCardTransaction, Amounts> & Record<Amounts, string>;

const COLUMNS = `id, tenant_id as "tenantId", account_id as "accountId", kind, status, currency, amount, fee,
  return_url as "returnUrl", action_url as "actionUrl", action_expires_at as "actionExpiresAt",
  idempotency_key as "idempotencyKey", failure, returned_amount as "returnedAmount", returns, suspended,
  completed_at as "completedAt", created_at as "createdAt", updated_at as "updatedAt"`;

const transactionOf = (row: Row): ExternalCardTransaction => ({
  ...row,
  amount: new Decimal(row.amount),
  fee: new Decimal(row.fee),
  returnedAmount: new Decimal(row.returnedAmount),
  suspended: new Decimal(row.suspended),
});

export type NewTransaction = Pick<
  ExternalCardTransaction,
  'id' | 'tenantId' | 'accountId' | 'kind' | 'currency' | 'amount' | 'fee' | 'returnUrl' | 'actionExpiresAt'
> &
  OperationKey & {
    /** Sealed under the id. */
    token: Buffer;
    redirectHash: Buffer;
  };

/** @param dueBy when its workflow will have looked at it */
export async function insertTransaction(
  tx: Sql,
  given: NewTransaction,
  dueBy: Date,
): Promise<ExternalCardTransaction> {
  const [row] = await tx.query<Row>(
    `insert into external_card_transactions (id, tenant_id, account_id, kind, status, currency, amount, fee, token,
            return_url, redirect_hash, action_expires_at, idempotency_key, caller_id,
            watched_until)
     values ($1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning ${COLUMNS}`,
    [
      ...[given.id, given.tenantId, given.accountId, given.kind, given.currency],
      ...[given.amount.toFixed(), given.fee.toFixed(), given.token, given.returnUrl, given.redirectHash],
      ...[given.actionExpiresAt, given.idempotencyKey, given.callerId, dueBy],
    ],
  );
  return transactionOf(row as Row);
}

/** @param accountId absent: of any account, for its own process */
export async function findTransaction(
  sql: Sql,
  id: string,
  of?: { accountId: string; kind: ExternalCardKind },
): Promise<ExternalCardTransaction | undefined> {
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from external_card_transactions
      where id = $1 and ($2::text is null or account_id = $2) and ($3::text is null or kind = $3)`,
    [id, of?.accountId ?? null, of?.kind ?? null],
  );
  return row && transactionOf(row);
}

/** Holds the row to the end of the transaction; whoever moves its money holds it first. */
export async function lockTransaction(tx: Sql, id: string): Promise<ExternalCardTransaction | undefined> {
  const [row] = await tx.query<Row>(
    `select ${COLUMNS} from external_card_transactions where id = $1 for no key update`,
    [id],
  );
  return row && transactionOf(row);
}

export async function findByRedirect(sql: Sql, hash: Buffer): Promise<ExternalCardTransaction | undefined> {
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from external_card_transactions where redirect_hash = $1`,
    [hash],
  );
  return row && transactionOf(row);
}

/** The card's token, sealed. For the moment of ordering. */
export async function findSealedToken(sql: Sql, id: string): Promise<Buffer | undefined> {
  const [row] = await sql.query<{ token: Buffer }>(
    'select token from external_card_transactions where id = $1',
    [id],
  );
  return row?.token;
}

/** Writes what its process changes. The caller holds the row. */
export async function saveTransaction(tx: Sql, changed: ExternalCardTransaction): Promise<void> {
  await tx.query(
    `update external_card_transactions
        set status = $2, action_url = $3, failure = $4, returned_amount = $5, returns = $6, suspended = $7,
            completed_at = $8, updated_at = greatest(updated_at, date_trunc('milliseconds', clock_timestamp()))
      where id = $1`,
    [
      ...[changed.id, changed.status, changed.actionUrl, changed.failure, changed.returnedAmount.toFixed()],
      ...[changed.returns, changed.suspended.toFixed(), changed.completedAt],
    ],
  );
}

/** @param dueBy when its process will have looked again; null when nobody need look */
export async function setDueBy(sql: Sql, id: string, dueBy: Date | null): Promise<void> {
  await sql.query('update external_card_transactions set watched_until = $2 where id = $1', [id, dueBy]);
}

export const overdueTransactions = overdueIn<Pick<ExternalCardTransaction, 'id' | 'tenantId' | 'kind'>>(
  'external_card_transactions',
  { columns: ['id', 'tenantId', 'kind'] },
);
