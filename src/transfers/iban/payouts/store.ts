import type { Sql } from '../../../kernel/db/database';
import type { OperationKey } from '../../../kernel/idempotency';
import { Decimal } from '../../../kernel/money/money';
import type { Destination } from '../../../parties/payouts/port';
import { overdueIn } from '../../../process/overdue';
import type { IbanPayoutStatus } from './rules';

/** A payout from a virtual IBAN by SEPA; all amounts in EUR. Its id is its `referenceId` too. */
export interface IbanPayout {
  id: string;
  tenantId: string;
  virtualIbanId: string;
  quoteId: string;
  externalId: string | null;
  status: IbanPayoutStatus;
  amount: Decimal;
  fee: Decimal;
  destinationMasked: Destination;
  /** Of the call that made it; travels to its webhooks. */
  idempotencyKey: string;
  /** The party's code. */
  failure: string | null;
  /** It may have reached the party since. */
  submittedAt: Date | null;
  sentAt: Date | null;
  completedAt: Date | null;
  /** What of the amount has come back. */
  returnedAmount: Decimal;
  /** How many movements were booked for that. */
  returns: number;
  createdAt: Date;
  updatedAt: Date;
}

type Amounts = 'amount' | 'fee' | 'returnedAmount';
type Row = Omit<IbanPayout, Amounts> & Record<Amounts, string>;

const COLUMNS = `id, tenant_id as "tenantId", virtual_iban_id as "virtualIbanId", quote_id as "quoteId",
  external_id as "externalId", status, amount, fee, destination_masked as "destinationMasked",
  idempotency_key as "idempotencyKey", failure, submitted_at as "submittedAt", sent_at as "sentAt",
  completed_at as "completedAt", returned_amount as "returnedAmount", returns, created_at as "createdAt",
  updated_at as "updatedAt"`;

const payoutOf = (row: Row): IbanPayout => ({
  ...row,
  amount: new Decimal(row.amount),
  fee: new Decimal(row.fee),
  returnedAmount: new Decimal(row.returnedAmount),
});

export type NewIbanPayout = Pick<
  IbanPayout,
  'id' | 'tenantId' | 'virtualIbanId' | 'quoteId' | 'externalId' | 'amount' | 'fee' | 'destinationMasked'
> &
  OperationKey & { sealedDestination: Buffer; dueBy: Date };

/** @returns nothing when the company has another with that `externalId` */
export async function insertPayout(tx: Sql, given: NewIbanPayout): Promise<IbanPayout | undefined> {
  const [row] = await tx.query<Row>(
    `insert into iban_payouts (id, tenant_id, virtual_iban_id, quote_id, external_id, status, amount, fee, destination,
            destination_masked, idempotency_key, caller_id, watched_until)
     values ($1, $2, $3, $4, $5, 'created', $6, $7, $8, $9, $10, $11, $12)
     on conflict (tenant_id, external_id) do nothing returning ${COLUMNS}`,
    [
      ...[given.id, given.tenantId, given.virtualIbanId, given.quoteId, given.externalId],
      ...[given.amount.toFixed(), given.fee.toFixed(), given.sealedDestination],
      ...[JSON.stringify(given.destinationMasked), given.idempotencyKey, given.callerId, given.dueBy],
    ],
  );
  return row && payoutOf(row);
}

/** @param virtualIbanId absent: of any, for its own process */
export async function findPayout(
  sql: Sql,
  id: string,
  virtualIbanId?: string,
): Promise<IbanPayout | undefined> {
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from iban_payouts where id = $1 and ($2::text is null or virtual_iban_id = $2)`,
    [id, virtualIbanId ?? null],
  );
  return row && payoutOf(row);
}

/** Holds the row to the end of the transaction; whoever moves its money holds it first. */
export async function lockPayout(tx: Sql, id: string): Promise<IbanPayout | undefined> {
  const [row] = await tx.query<Row>(`select ${COLUMNS} from iban_payouts where id = $1 for no key update`, [
    id,
  ]);
  return row && payoutOf(row);
}

/** For the moment of submitting it: never to be logged, or kept. */
export async function findSealedDestination(sql: Sql, id: string): Promise<Buffer | undefined> {
  const [row] = await sql.query<{ destination: Buffer }>(
    'select destination from iban_payouts where id = $1',
    [id],
  );
  return row?.destination;
}

/** Before it is submitted: whoever reads the row then knows that the party may have it. */
export async function noteSubmission(sql: Sql, id: string, at: Date): Promise<void> {
  await sql.query('update iban_payouts set submitted_at = coalesce(submitted_at, $2) where id = $1', [
    id,
    at,
  ]);
}

/** Writes what its process changes. The caller holds the row. */
export async function savePayout(tx: Sql, changed: IbanPayout): Promise<void> {
  await tx.query(
    `update iban_payouts
        set status = $2, failure = $3, sent_at = $4, completed_at = $5, returned_amount = $6, returns = $7,
            updated_at = greatest(updated_at, date_trunc('milliseconds', clock_timestamp()))
      where id = $1`,
    [
      ...[changed.id, changed.status, changed.failure, changed.sentAt, changed.completedAt],
      ...[changed.returnedAmount.toFixed(), changed.returns],
    ],
  );
}

/** @param dueBy when its process will have looked again; null when nobody need look */
export async function setDueBy(sql: Sql, id: string, dueBy: Date | null): Promise<void> {
  await sql.query('update iban_payouts set watched_until = $2 where id = $1', [id, dueBy]);
}

export const overduePayouts = overdueIn<Pick<IbanPayout, 'id' | 'tenantId'>>('iban_payouts', {
  columns: ['id', 'tenantId'],
});
