import type { Sql } from '../../kernel/db/database';
import type { OperationKey } from '../../kernel/idempotency';
import { isId } from '../../kernel/ids';
import { Decimal } from '../../kernel/money/money';
import { overdueIn } from '../../process/overdue';
import type { Payout } from './record';

type AmountField = 'amount' | 'fee' | 'receivedAmount' | 'rate' | 'returnedAmount' | 'returnedReceived';
type Row = Omit<Payout, AmountField> &
  Record<'amount' | 'fee' | 'receivedAmount' | 'rate', string> &
  Record<'returnedAmount' | 'returnedReceived', string | null>;

const COLUMNS = `id, tenant_id as "tenantId", account_id as "accountId", quote_id as "quoteId",
  external_id as "externalId", method, status, currency, amount, fee, received_currency as "receivedCurrency",
  received_amount as "receivedAmount", rate, destination_masked as "destinationMasked",
  idempotency_key as "idempotencyKey", description, failure, submitted_at as "submittedAt", sent_at as "sentAt",
  completed_at as "completedAt", returned_at as "returnedAt", returned_amount as "returnedAmount",
  returned_received as "returnedReceived", revision, created_at as "createdAt", updated_at as "updatedAt"`;

const NOW = `date_trunc('milliseconds', clock_timestamp())`;

const decimalOrNull = (text: string | null) => (text === null ? null : new Decimal(text));

const payoutOf = (row: Row): Payout => ({
  ...row,
  amount: new Decimal(row.amount),
  fee: new Decimal(row.fee),
  receivedAmount: new Decimal(row.receivedAmount),
  rate: new Decimal(row.rate),
  returnedAmount: decimalOrNull(row.returnedAmount),
  returnedReceived: decimalOrNull(row.returnedReceived),
});

export type NewPayout = Pick<
  Payout,
  | 'id'
  | 'tenantId'
  | 'accountId'
  | 'quoteId'
  | 'externalId'
  | 'method'
  | 'currency'
  | 'amount'
  | 'fee'
  | 'receivedCurrency'
  | 'receivedAmount'
  | 'rate'
  | 'destinationMasked'
> &
  OperationKey & { status: 'created'; sealedDestination: Buffer };

/** @returns nothing when the tenant has a payout with that `externalId` */
export async function insertPayout(tx: Sql, given: NewPayout): Promise<Payout | undefined> {
  const [row] = await tx.query<Row>(
    `insert into payouts (id, tenant_id, account_id, quote_id, external_id, method, status, currency, amount, fee,
                          received_currency, received_amount, rate, destination, destination_masked, idempotency_key,
                          caller_id, watched_until, created_at, updated_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, t.now, t.now, t.now
       from (select ${NOW} as now) t
     on conflict (tenant_id, external_id) do nothing returning ${COLUMNS}`,
    [
      given.id,
      given.tenantId,
      given.accountId,
      given.quoteId,
      given.externalId,
      given.method,
      given.status,
      given.currency,
      given.amount.toFixed(),
      given.fee.toFixed(),
      given.receivedCurrency,
      given.receivedAmount.toFixed(),
      given.rate.toFixed(),
      given.sealedDestination,
      JSON.stringify(given.destinationMasked),
      given.idempotencyKey,
      given.callerId,
    ],
  );
  return row && payoutOf(row);
}

/** @param reach the tenant whose payouts may be found, or null for every tenant's */
export async function findPayout(
  sql: Sql,
  reach: string | null,
  id: string,
  lock?: 'update',
): Promise<Payout | undefined> {
  if (!isId('payout', id)) return undefined;
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from payouts where id = $1 and ($2::text is null or tenant_id = $2)
      ${lock ? 'for no key update' : ''}`,
    [id, reach],
  );
  return row && payoutOf(row);
}

export async function findSealedDestination(sql: Sql, id: string): Promise<Buffer | undefined> {
  const [row] = await sql.query<{ destination: Buffer }>('select destination from payouts where id = $1', [
    id,
  ]);
  return row?.destination;
}

export interface PayoutFilter {
  status?: string;
  method?: string;
  externalId?: string;
  from?: Date;
  to?: Date;
}

/** Of an account, newest first. @param after the id that the page before ended with */
export async function listPayouts(
  sql: Sql,
  accountId: string,
  filter: PayoutFilter,
  page: { after: string | undefined; rows: number },
): Promise<Payout[]> {
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from payouts
      where account_id = $1 and ($2::text is null or status = $2) and ($3::text is null or method = $3)
        and ($4::text is null or external_id = $4) and ($5::timestamptz is null or created_at >= $5)
        and ($6::timestamptz is null or created_at < $6) and ($7::text is null or id < $7)
      order by id desc limit $8`,
    [
      accountId,
      filter.status,
      filter.method,
      filter.externalId,
      filter.from,
      filter.to,
      page.after,
      page.rows,
    ],
  );
  return rows.map(payoutOf);
}

/** What moves in a payout whose row is locked. */
export async function savePayout(tx: Sql, changed: Payout): Promise<Payout> {
  const [row] = await tx.query<Row>(
    `update payouts
        set status = $2, description = $3, failure = $4, sent_at = $5, completed_at = $6, returned_at = $7,
            returned_amount = $8, returned_received = $9, revision = revision + 1, updated_at = ${NOW}
      where id = $1 returning ${COLUMNS}`,
    [
      changed.id,
      changed.status,
      changed.description,
      changed.failure,
      changed.sentAt,
      changed.completedAt,
      changed.returnedAt,
      changed.returnedAmount?.toFixed(),
      changed.returnedReceived?.toFixed(),
    ],
  );
  return payoutOf(row as Row);
}

/** From now on the party may have it. */
export async function noteSubmission(tx: Sql, id: string, at: Date): Promise<void> {
  await tx.query('update payouts set submitted_at = $2 where id = $1 and submitted_at is null', [id, at]);
}

/** @param dueBy when its workflow will have looked again; null when it need not */
export async function setDueBy(sql: Sql, id: string, dueBy: Date | null): Promise<void> {
  await sql.query('update payouts set watched_until = $2 where id = $1', [id, dueBy]);
}

export const overduePayouts = overdueIn<Pick<Payout, 'id' | 'tenantId'>>('payouts', {
  columns: ['id', 'tenantId'],
});

/** The oldest first. */
export async function awaitingApproval(sql: Sql, limit: number): Promise<Payout[]> {
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from payouts where status = 'pending_approval' order by id limit $1`,
    [limit],
  );
  return rows.map(payoutOf);
}

export interface PayoutDecision {
  payoutId: string;
  decision: 'approved' | 'rejected';
  reason: string | null;
  /** `operator:<name>` at the command line. */
  decidedBy: string;
}

export async function insertDecision(tx: Sql, given: PayoutDecision): Promise<void> {
  await tx.query(
    'insert into payout_decisions (payout_id, decision, reason, decided_by) values ($1, $2, $3, $4)',
    [given.payoutId, given.decision, given.reason, given.decidedBy],
  );
}
