import { filtered, type IdPage, NOW, newestFirst, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { json, recordTable } from '../../kernel/db/record-table';
import { countWaiting, type WaitingCount, type WaitingFilter, waitingPage } from '../../kernel/db/waiting';
import { isId } from '../../kernel/ids';
import { overdueIn } from '../../process/overdue';
import type { KycApproval, KycDecision, KycDocument, KycDocumentStatus, KycReview, KycSlot } from './record';

const documents = recordTable<KycDocument>('kyc_documents', {}, [
  'id',
  'tenantId',
  'userId',
  'slot',
  'contentType',
  'size',
  'sha256',
  'status',
  'note',
  'submission',
  'createdAt',
  'updatedAt',
]);
const reviews = recordTable<KycReview>('kyc_reviews', {}, [
  'userId',
  'submission',
  'tenantId',
  'status',
  'reason',
  'idempotencyKey',
  'submittedAt',
  'decidedAt',
]);
const approvals = recordTable<KycApproval>('kyc_approvals', { documents: json }, [
  'submission',
  'metaSealed',
  'documents',
  'approvedAt',
]);

export const insertDocument = (
  tx: Sql,
  given: Pick<KycDocument, 'id' | 'tenantId' | 'userId' | 'slot' | 'contentType' | 'size' | 'sha256'>,
) => documents.saved(tx, documents().insert({ ...given, status: 'uploaded' }));

export async function findDocument(sql: Sql, userId: string, id: string): Promise<KycDocument | undefined> {
  if (!isId('kycDocument', id)) return undefined;
  return documents.one(sql, documents().where({ id, userId }));
}

/** A document of any user. */
export async function findDocumentById(sql: Sql, id: string): Promise<KycDocument | undefined> {
  if (!isId('kycDocument', id)) return undefined;
  return documents.one(sql, documents().where({ id }));
}

/** All documents of a user, newest first. */
export const documentsOfUser = (sql: Sql, userId: string) =>
  documents.all(sql, documents().where({ userId }).orderBy('id', 'desc'));

export interface DocumentFilter {
  slot?: KycSlot;
  status?: KycDocumentStatus;
}

/** A page of a user's documents, newest first. */
export const listDocuments = (sql: Sql, userId: string, filter: DocumentFilter, page: IdPage) =>
  documents.all(sql, documents().where({ userId }).modify(filtered, filter).modify(newestFirst, page));

export const updateDocumentStatus = (tx: Sql, id: string, status: KycDocumentStatus, note: string | null) =>
  documents.saved(tx, documents().where({ id }).update({ status, note, updatedAt: NOW }));

/** Assigns all documents that no submission has to this one. */
export async function markSubmitted(tx: Sql, userId: string, submission: number): Promise<void> {
  await tx.run(documents().where({ userId }).whereNull('submission').update({ submission }));
}

export async function deleteDocumentRow(tx: Sql, id: string): Promise<void> {
  await tx.run(documents().where({ id }).delete());
}

/** Inserts a review. The caller holds the user's lock, so that submissions are numbered one after the other. */
export const insertReview = (
  tx: Sql,
  given: Pick<KycReview, 'userId' | 'submission' | 'tenantId' | 'idempotencyKey'>,
) => reviews.saved(tx, reviews().insert({ ...given, status: 'in_review', watchedUntil: NOW }));

export const newestReview = (sql: Sql, userId: string) =>
  reviews.one(sql, reviews().where({ userId }).orderBy('submission', 'desc').limit(1));

export const findReview = (sql: Sql, userId: string, submission: number) =>
  reviews.one(sql, reviews().where({ userId, submission }));

export async function updateReview(
  tx: Sql,
  { userId, submission }: KycReview,
  status: KycDecision,
  reason: string | null,
): Promise<void> {
  await tx.run(reviews().where({ userId, submission }).update({ status, reason, decidedAt: NOW }));
}

/** Records when the workflow will advance the review again. Later it is overdue. */
export async function setReviewDueBy(tx: Sql, { userId, submission }: KycReview, dueBy: Date): Promise<void> {
  await tx.run(reviews().where({ userId, submission }).update({ watchedUntil: dueBy }));
}

/** Open reviews whose workflow is overdue. The condition matches a partial index. */
export const overdueReviews = overdueIn<Pick<KycReview, 'userId' | 'submission' | 'tenantId'>>(
  'kyc_reviews',
  {
    columns: ['userId', 'submission', 'tenantId'],
    open: `status = 'in_review'`,
    key: `user_id || '-' || submission`,
  },
);

const inReview = () => reviews().where({ status: 'in_review' });
const WAITING = { id: 'user_id', since: 'submitted_at', tenantId: 'tenant_id' };

/** Reviews that wait for the operator, the longest waiting first. @throws Problem 400 */
export const awaitingReview = (sql: Sql, filter: WaitingFilter) =>
  reviews.all(sql, inReview().modify(waitingPage, WAITING, filter));

export const countAwaitingReview = (sql: Sql): Promise<WaitingCount> =>
  countWaiting(sql, inReview(), WAITING);

export async function insertApproval(
  tx: Sql,
  { userId, ...approved }: Omit<KycApproval, 'approvedAt'> & { userId: string },
): Promise<void> {
  await tx.run(approvals().insert({ userId, ...approvals.row(approved) }));
}

export const newestApproval = (sql: Sql, userId: string) =>
  approvals.one(sql, approvals().where({ userId }).orderBy('id', 'desc').limit(1));

/** A decision on a review or on a document. */
export interface DecisionRecord {
  userId: string;
  submission?: number;
  documentId?: string;
  decision: string;
  reason: string | null;
  /** The admin's client id, `operator:<name>` at the command line, or `sandbox`. */
  decidedBy: string;
}

export async function insertDecision(tx: Sql, decision: DecisionRecord): Promise<void> {
  await tx.run(table('kyc_decisions').insert(decision));
}

/** The decisions on a user and their documents, in order. */
export function decisionsOn(sql: Sql, userId: string): Promise<(DecisionRecord & { at: Date })[]> {
  return sql.run(
    table('kyc_decisions')
      .select('userId', 'submission', 'documentId', 'decision', 'reason', 'decidedBy', 'at')
      .where({ userId })
      .orderBy('id'),
  );
}

/** Deletes the operators' notes on a user, and the remarks on the user's documents. */
export async function forgetTexts(tx: Sql, userId: string): Promise<void> {
  await tx.run(table('kyc_notes').where({ userId }).delete());
  await tx.run(table('kyc_documents').where({ userId }).update({ note: null }));
}

/** The notes, sealed under the user's key. */
export async function findNotes(sql: Sql, userId: string): Promise<Buffer | undefined> {
  const [row] = await sql.run<{ notes: Buffer }>(table('kyc_notes').select('notes').where({ userId }));
  return row?.notes;
}

export async function upsertNotes(tx: Sql, userId: string, notes: Buffer): Promise<void> {
  await tx.run(
    table('kyc_notes').insert({ userId, notes }).onConflict('userId').merge({ notes, updatedAt: NOW }),
  );
}
