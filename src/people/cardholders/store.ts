import { filtered, type IdPage, NOW, newestFirst, raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { foundRecords } from '../../kernel/db/found';
import { json, recordTable } from '../../kernel/db/record-table';
import { countWaiting, type WaitingCount, type WaitingFilter, waitingPage } from '../../kernel/db/waiting';
import { isId } from '../../kernel/ids';
import { overdueIn } from '../../process/overdue';
import type { Cardholder, CardholderStatus } from './record';

const cardholders = recordTable<Cardholder>('cardholders', { documents: json }, [
  'id',
  'tenantId',
  'userId',
  'accountId',
  'bin',
  'model',
  'status',
  'description',
  'emailHash',
  'emailSealed',
  'maskedName',
  'maskedEmail',
  'submissions',
  'reviewedAt',
  'documents',
  'idempotencyKey',
  'submissionSent',
  'createdAt',
  'updatedAt',
]);

export type NewCardholder = Pick<
  Cardholder,
  | 'id'
  | 'tenantId'
  | 'accountId'
  | 'bin'
  | 'model'
  | 'status'
  | 'emailHash'
  | 'emailSealed'
  | 'maskedName'
  | 'maskedEmail'
  | 'documents'
  | 'idempotencyKey'
> & { userId: string };

/** @returns undefined when another cardholder on the BIN has the email, by the unique index */
export const insertCardholder = (tx: Sql, given: NewCardholder) =>
  cardholders.writtenOne(
    tx,
    cardholders().insert(cardholders.row(given)).onConflict(['tenantId', 'bin', 'emailHash']).ignore(),
  );

/**
 * Writes the changes of a locked cardholder. A new status makes it due at once, because its workflow has not seen the
 * status.
 * @throws an error of the index `cardholders_email_per_bin` when another cardholder on the BIN has the email
 */
export function saveCardholder(tx: Sql, changed: Cardholder): Promise<Cardholder> {
  const { id, status, description, submissions, reviewedAt } = changed;
  const { emailHash, emailSealed, maskedName, maskedEmail, documents, idempotencyKey, submissionSent } =
    changed;
  const change = {
    ...cardholders.row({
      status,
      description,
      emailHash,
      emailSealed,
      maskedName,
      maskedEmail,
      submissions,
      reviewedAt,
      idempotencyKey,
      submissionSent,
      documents,
    }),
    updatedAt: NOW,
    watchedUntil: raw('case status when ? then watched_until else ? end', [status, NOW]),
  };
  return cardholders.saved(tx, cardholders().where({ id }).update(change));
}

const NOTHING = { emailHash: null, emailSealed: null, maskedName: '', maskedEmail: '', description: null };

/** Removes what names the person from the user's cardholders. */
export async function forgetCardholders(tx: Sql, userId: string): Promise<void> {
  await tx.run(
    cardholders()
      .where({ userId })
      .update({ ...NOTHING, updatedAt: NOW }),
  );
}

/** Not approved, and still naming the person: the condition of the index `cardholders_rejected`. */
const rejected = () =>
  cardholders().whereRaw(
    `status in ('reject', 'rejected_by_admin', 'submission_failed') and email_hash is not null`,
  );

/** The tenants of cardholders that were not approved. */
export async function tenantsOfRejected(sql: Sql): Promise<string[]> {
  const rows = await sql.run<{ tenantId: string }>(rejected().distinct('tenantId'));
  return rows.map(({ tenantId }) => tenantId);
}

/** As {@link forgetCardholders}, for a tenant's rejected ones of before a time. @returns the number of changed rows */
export async function forgetRejectedRows(
  tx: Sql,
  { tenantId, before }: { tenantId: string; before: Date },
  limit: number,
): Promise<number> {
  const old = rejected().select('id').where({ tenantId }).where('updatedAt', '<', before);
  const rows = await tx.run(
    cardholders()
      .whereIn('id', old.orderBy('updatedAt').limit(limit))
      .update({ ...NOTHING, updatedAt: NOW })
      .returning('id'),
  );
  return rows.length;
}

/** Records whether the submission may have reached the reviewer. @returns false when the submission has ended */
export async function setSubmissionSent(
  sql: Sql,
  { id, submissions }: Pick<Cardholder, 'id' | 'submissions'>,
  submissionSent: boolean,
): Promise<boolean> {
  const rows = await sql.run(
    cardholders().where({ id, submissions, status: 'wait_audit' }).update({ submissionSent }).returning('id'),
  );
  return rows.length > 0;
}

/** Records when the workflow will advance the cardholder again. Later it is overdue. */
export async function setDueBy(sql: Sql, id: string, dueBy: Date): Promise<void> {
  await sql.run(cardholders().where({ id }).update({ watchedUntil: dueBy }));
}

/** Open cardholders whose workflow is overdue. The condition matches a partial index. */
export const overdueCardholders = overdueIn<Pick<Cardholder, 'id' | 'tenantId'>>('cardholders', {
  columns: ['id', 'tenantId'],
  open: `status in ('pending_review', 'wait_audit')`,
});

const inReview = () => cardholders().where({ status: 'pending_review' });
const WAITING = { id: 'id', since: 'updated_at', tenantId: 'tenant_id', kind: 'bin' };

/** Cardholders that wait for the operator, the longest waiting first. Their `kind` is the BIN. @throws Problem 400 */
export const awaitingReview = (sql: Sql, filter: WaitingFilter) =>
  cardholders.all(sql, inReview().modify(waitingPage, WAITING, filter));

export const countAwaitingReview = (sql: Sql): Promise<WaitingCount> =>
  countWaiting(sql, inReview(), WAITING);

/** The decisions on a cardholder, in order. */
export function decisionsOn(sql: Sql, cardholderId: string): Promise<(Decision & { at: Date })[]> {
  return sql.run(
    table('cardholder_decisions')
      .select('cardholderId', 'decision', 'reason', 'decidedBy', 'at')
      .where({ cardholderId })
      .orderBy('id'),
  );
}

export interface Decision {
  cardholderId: string;
  decision: 'approved' | 'rejected';
  reason: string | null;
  /** `operator:<name>` at the command line, or `sandbox`. */
  decidedBy: string;
}

export async function insertDecision(tx: Sql, decision: Decision): Promise<void> {
  await tx.run(table('cardholder_decisions').insert(decision));
}

/** @param reach the tenant whose cardholders may be found, or null for any tenant's */
export async function findCardholder(
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<Cardholder | undefined> {
  if (!isId('cardholder', id)) return undefined;
  return cardholders.one(sql, cardholders().where({ id }).modify(filtered, { tenantId: reach }));
}

/** The user's cardholder on a BIN; without a BIN, their newest. */
export const findCardholderOfUser = (sql: Sql, userId: string, bin?: string) =>
  cardholders.one(
    sql,
    cardholders().where({ userId }).modify(filtered, { bin }).orderBy('id', 'desc').limit(1),
  );

/** @param except the cardholder that may have the email */
export async function isEmailHeld(
  sql: Sql,
  { except, ...of }: { tenantId: string; bin: string; emailHash: Buffer; except: string | undefined },
): Promise<boolean> {
  const holders = cardholders().select('id').where(of);
  if (except !== undefined) void holders.whereNot('id', except);
  return (await sql.run(holders)).length > 0;
}

/** Locks the row until the end of the transaction. */
export async function lockRow(tx: Sql, id: string): Promise<void> {
  await tx.run(cardholders().select('id').where({ id }).forNoKeyUpdate());
}

export interface CardholderFilter {
  status?: CardholderStatus;
  bin?: string;
  userId?: string;
}

/** A page of the tenant's cardholders, newest first. */
export const listCardholders = (sql: Sql, tenantId: string, filter: CardholderFilter, page: IdPage) =>
  cardholders.all(sql, cardholders().where({ tenantId }).modify(filtered, filter).modify(newestFirst, page));

/** Cardholders of any tenant with this e-mail, newest first. @param emailHash by `emailHashOf` */
export const foundCardholders = (sql: Sql, emailHash: Buffer, limit: number) =>
  foundRecords(sql, { table: 'cardholders', column: 'emailHash', text: emailHash }, limit);
