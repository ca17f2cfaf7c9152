import type { Sql } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import { overdueIn } from '../../process/due';
import type { KycSlot } from '../kyc/rules';
import type { CardholderModel } from './meta-rules';
import type { CardholderStatus } from './rules';

/** A document of the user's KYC in one of its slots. */
export interface CardholderDocument {
  slot: KycSlot;
  documentId: string;
}

export interface Cardholder {
  id: string;
  tenantId: string;
  /** Whose meta the submission is built from. */
  userId: string | null;
  accountId: string;
  bin: string;
  model: CardholderModel;
  status: CardholderStatus;
  /** Why a submission failed or was rejected. */
  description: string | null;
  /** In lower case: unique per tenant and BIN. */
  email: string;
  maskedName: string;
  /** How often it was sent to the party. */
  submissions: number;
  /** When the operator or the party last decided. */
  reviewedAt: Date | null;
  /** What the newest submission carries. */
  documents: CardholderDocument[];
  /** Of the request that set its process going. */
  idempotencyKey: string | null;
  /** The present submission may have reached the party. */
  submissionSent: boolean;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `id, tenant_id as "tenantId", user_id as "userId", account_id as "accountId", bin, model, status,
  description, email, masked_name as "maskedName", submissions, reviewed_at as "reviewedAt", documents,
  idempotency_key as "idempotencyKey", submission_sent as "submissionSent", created_at as "createdAt",
  updated_at as "updatedAt"`;

const NOW = `date_trunc('milliseconds', clock_timestamp())`;

export type NewCardholder = Pick<
  Cardholder,
  | 'id'
  | 'tenantId'
  | 'accountId'
  | 'bin'
  | 'model'
  | 'status'
  | 'email'
  | 'maskedName'
  | 'documents'
  | 'idempotencyKey'
> & { userId: string };

/** @returns nothing when another cardholder on the BIN holds the email: the unique index decides */
export async function insertCardholder(tx: Sql, given: NewCardholder): Promise<Cardholder | undefined> {
  const [row] = await tx.query<Cardholder>(
    `insert into cardholders (id, tenant_id, user_id, account_id, bin, model, status, email, masked_name, documents,
                              idempotency_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (tenant_id, bin, email) do nothing returning ${COLUMNS}`,
    [
      given.id,
      given.tenantId,
      given.userId,
      given.accountId,
      given.bin,
      given.model,
      given.status,
      given.email,
      given.maskedName,
      JSON.stringify(given.documents),
      given.idempotencyKey,
    ],
  );
  return row;
}

/**
 * Writes what changes in a cardholder whose row is locked. A new status is one that its workflow has not seen.
 * @throws an error of the index `cardholders_email_per_bin` when another cardholder on the BIN holds the email
 */
export async function saveCardholder(tx: Sql, changed: Cardholder): Promise<Cardholder> {
  const [row] = await tx.query<Cardholder>(
    `update cardholders
        set status = $2, description = $3, email = $4, masked_name = $5, submissions = $6, reviewed_at = $7,
            documents = $8, idempotency_key = $9, submission_sent = $10, updated_at = ${NOW},
            watched_until = case status when $2 then watched_until else ${NOW} end
      where id = $1 returning ${COLUMNS}`,
    [
      changed.id,
      changed.status,
      changed.description,
      changed.email,
      changed.maskedName,
      changed.submissions,
      changed.reviewedAt,
      JSON.stringify(changed.documents),
      changed.idempotencyKey,
      changed.submissionSent,
    ],
  );
  return row as Cardholder;
}

/** Says whether the submission may have reached the party, unless it has ended. @returns whether it has not */
export async function noteSent(
  sql: Sql,
  { id, submissions }: Pick<Cardholder, 'id' | 'submissions'>,
  sent: boolean,
): Promise<boolean> {
  const rows = await sql.query(
    `update cardholders set submission_sent = $3 where id = $1 and submissions = $2 and status = 'wait_audit'
     returning id`,
    [id, submissions, sent],
  );
  return rows.length > 0;
}

/** Its workflow has looked, and will again by then. */
export async function watch(sql: Sql, id: string, until: Date): Promise<void> {
  await sql.query('update cardholders set watched_until = $2 where id = $1', [id, until]);
}

/** Open cardholders whose workflow should have looked by now; the condition is the index's. */
export const overdueCardholders = overdueIn<Pick<Cardholder, 'id' | 'tenantId'>>('cardholders', {
  columns: ['id', 'tenantId'],
  open: `status in ('pending_review', 'wait_audit')`,
});

/** Those of every tenant that wait for the operator, the longest first. */
export async function awaitingReview(sql: Sql, limit: number): Promise<Cardholder[]> {
  return sql.query<Cardholder>(
    `select ${COLUMNS} from cardholders where status = 'pending_review' order by updated_at limit $1`,
    [limit],
  );
}

export interface Decision {
  cardholderId: string;
  decision: 'approved' | 'rejected';
  reason: string | null;
  /** `operator:<name>` at the command line, or `sandbox`. */
  decidedBy: string;
}

export async function insertDecision(tx: Sql, given: Decision): Promise<void> {
  await tx.query(
    'insert into cardholder_decisions (cardholder_id, decision, reason, decided_by) values ($1, $2, $3, $4)',
    [given.cardholderId, given.decision, given.reason, given.decidedBy],
  );
}

/** @param reach the tenant whose cardholders may be found, or null for every tenant's */
export async function findCardholder(
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<Cardholder | undefined> {
  if (!isId('cardholder', id)) return undefined;
  const [row] = await sql.query<Cardholder>(
    `select ${COLUMNS} from cardholders where id = $1 and ($2::text is null or tenant_id = $2)`,
    [id, reach],
  );
  return row;
}

/** The user's cardholder on a BIN; without one, their newest. */
export async function findCardholderOfUser(
  sql: Sql,
  userId: string,
  bin?: string,
): Promise<Cardholder | undefined> {
  const [row] = await sql.query<Cardholder>(
    `select ${COLUMNS} from cardholders where user_id = $1 and ($2::text is null or bin = $2)
      order by id desc limit 1`,
    [userId, bin],
  );
  return row;
}

/** @param except the cardholder that may hold it */
export async function isEmailHeld(
  sql: Sql,
  of: { tenantId: string; bin: string; email: string; except: string | undefined },
): Promise<boolean> {
  const rows = await sql.query(
    `select 1 from cardholders
      where tenant_id = $1 and bin = $2 and email = $3 and ($4::text is null or id <> $4)`,
    [of.tenantId, of.bin, of.email, of.except],
  );
  return rows.length > 0;
}

/** Holds the row to the end of the transaction. */
export async function lockRow(tx: Sql, id: string): Promise<void> {
  await tx.query('select id from cardholders where id = $1 for no key update', [id]);
}

export interface CardholderFilter {
  status?: CardholderStatus;
  bin?: string;
  userId?: string;
}

/** The tenant's cardholders, newest first, after the id that the page before ended with. */
export async function listCardholders(
  sql: Sql,
  tenantId: string,
  filter: CardholderFilter,
  after: string | undefined,
  limit: number,
): Promise<Cardholder[]> {
  return sql.query<Cardholder>(
    `select ${COLUMNS} from cardholders
      where tenant_id = $1 and ($2::text is null or status = $2) and ($3::text is null or bin = $3)
        and ($4::text is null or user_id = $4) and ($5::text is null or id < $5)
      order by id desc limit $6`,
    [tenantId, filter.status, filter.bin, filter.userId, after, limit],
  );
}
