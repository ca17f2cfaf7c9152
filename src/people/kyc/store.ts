import type { Sql } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import type { FileType } from '../../kernel/wire/file-type';
import { overdueIn } from '../../process/due';
import type { KycDecision, KycDocumentStatus, KycSlot } from './rules';

export interface KycDocument {
  id: string;
  tenantId: string;
  userId: string;
  slot: KycSlot;
  contentType: FileType;
  /** Bytes. */
  size: number;
  sha256: string;
  status: KycDocumentStatus;
  /** Why it was approved or rejected, in the words of who decided. */
  note: string | null;
  /** The first review that had it. */
  submission: number | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface KycReview {
  userId: string;
  submission: number;
  tenantId: string;
  status: 'in_review' | KycDecision;
  reason: string | null;
  /** Of the request that submitted. */
  idempotencyKey: string | null;
  submittedAt: Date;
  decidedAt: Date | null;
}

const NOW = `date_trunc('milliseconds', clock_timestamp())`;

const DOCUMENT = `id, tenant_id as "tenantId", user_id as "userId", slot, content_type as "contentType", size, sha256, status,
  note, submission, created_at as "createdAt", updated_at as "updatedAt"`;

const REVIEW = `user_id as "userId", submission, tenant_id as "tenantId", status, reason,
  idempotency_key as "idempotencyKey", submitted_at as "submittedAt", decided_at as "decidedAt"`;

export async function insertDocument(
  tx: Sql,
  given: Pick<KycDocument, 'id' | 'tenantId' | 'userId' | 'slot' | 'contentType' | 'size' | 'sha256'>,
): Promise<KycDocument> {
  const [row] = await tx.query<KycDocument>(
    `insert into kyc_documents (id, tenant_id, user_id, slot, content_type, size, sha256, status)
     values ($1, $2, $3, $4, $5, $6, $7, 'uploaded') returning ${DOCUMENT}`,
    [given.id, given.tenantId, given.userId, given.slot, given.contentType, given.size, given.sha256],
  );
  return row as KycDocument;
}

export async function findDocument(sql: Sql, userId: string, id: string): Promise<KycDocument | undefined> {
  if (!isId('kycDocument', id)) return undefined;
  const [row] = await sql.query<KycDocument>(
    `select ${DOCUMENT} from kyc_documents where id = $1 and user_id = $2`,
    [id, userId],
  );
  return row;
}

/** All of a user's, newest first. */
export async function documentsOfUser(sql: Sql, userId: string): Promise<KycDocument[]> {
  return sql.query<KycDocument>(`select ${DOCUMENT} from kyc_documents where user_id = $1 order by id desc`, [
    userId,
  ]);
}

export interface DocumentFilter {
  slot?: KycSlot;
  status?: KycDocumentStatus;
}

/** A page of a user's, newest first, after the id that the page before ended with. */
export async function listDocuments(
  sql: Sql,
  userId: string,
  filter: DocumentFilter,
  after: string | undefined,
  limit: number,
): Promise<KycDocument[]> {
  return sql.query<KycDocument>(
    `select ${DOCUMENT} from kyc_documents
      where user_id = $1 and ($2::text is null or slot = $2) and ($3::text is null or status = $3)
        and ($4::text is null or id < $4)
      order by id desc limit $5`,
    [userId, filter.slot, filter.status, after, limit],
  );
}

export async function updateDocumentStatus(
  tx: Sql,
  id: string,
  status: KycDocumentStatus,
  note: string | null,
): Promise<KycDocument> {
  const [row] = await tx.query<KycDocument>(
    `update kyc_documents set status = $2, note = $3, updated_at = ${NOW} where id = $1 returning ${DOCUMENT}`,
    [id, status, note],
  );
  return row as KycDocument;
}

/** Those that no review has had are now part of this one. */
export async function markSubmitted(tx: Sql, userId: string, submission: number): Promise<void> {
  await tx.query('update kyc_documents set submission = $2 where user_id = $1 and submission is null', [
    userId,
    submission,
  ]);
}

export async function deleteDocumentRow(tx: Sql, id: string): Promise<void> {
  await tx.query('delete from kyc_documents where id = $1', [id]);
}

/** The user is locked, so that submissions are counted one at a time. */
export async function insertReview(
  tx: Sql,
  given: Pick<KycReview, 'userId' | 'submission' | 'tenantId' | 'idempotencyKey'>,
): Promise<KycReview> {
  const [row] = await tx.query<KycReview>(
    `insert into kyc_reviews (user_id, submission, tenant_id, status, idempotency_key, watched_until)
     values ($1, $2, $3, 'in_review', $4, ${NOW}) returning ${REVIEW}`,
    [given.userId, given.submission, given.tenantId, given.idempotencyKey],
  );
  return row as KycReview;
}

export async function newestReview(sql: Sql, userId: string): Promise<KycReview | undefined> {
  const [row] = await sql.query<KycReview>(
    `select ${REVIEW} from kyc_reviews where user_id = $1 order by submission desc limit 1`,
    [userId],
  );
  return row;
}

export async function findReview(
  sql: Sql,
  userId: string,
  submission: number,
): Promise<KycReview | undefined> {
  const [row] = await sql.query<KycReview>(
    `select ${REVIEW} from kyc_reviews where user_id = $1 and submission = $2`,
    [userId, submission],
  );
  return row;
}

export async function updateReview(
  tx: Sql,
  { userId, submission }: KycReview,
  decision: KycDecision,
  reason: string | null,
): Promise<void> {
  await tx.query(
    `update kyc_reviews set status = $3, reason = $4, decided_at = ${NOW} where user_id = $1 and submission = $2`,
    [userId, submission, decision, reason],
  );
}

/** Its workflow has looked, and will again by then. */
export async function watchReview(
  tx: Sql,
  { userId, submission }: KycReview,
  watchedUntil: Date,
): Promise<void> {
  await tx.query('update kyc_reviews set watched_until = $3 where user_id = $1 and submission = $2', [
    userId,
    submission,
    watchedUntil,
  ]);
}

/** Open reviews whose workflow should have looked by now; the condition is the index's. */
export const overdueReviews = overdueIn<Pick<KycReview, 'userId' | 'submission' | 'tenantId'>>(
  'kyc_reviews',
  {
    columns: ['userId', 'submission', 'tenantId'],
    open: `status = 'in_review'`,
    key: `user_id || '-' || submission`,
  },
);

/** What a person decided: on a review, or on a document. */
export interface KycDecisionEntry {
  userId: string;
  submission?: number;
  documentId?: string;
  decision: string;
  reason: string | null;
  /** The admin's client id, `operator:<name>` at the command line, or `sandbox`. */
  decidedBy: string;
}

export async function insertDecision(tx: Sql, entry: KycDecisionEntry): Promise<void> {
  await tx.query(
    `insert into kyc_decisions (user_id, submission, document_id, decision, reason, decided_by)
     values ($1, $2, $3, $4, $5, $6)`,
    [entry.userId, entry.submission, entry.documentId, entry.decision, entry.reason, entry.decidedBy],
  );
}

export async function findNotes(sql: Sql, userId: string): Promise<string | undefined> {
  const [row] = await sql.query<{ notes: string }>('select notes from kyc_notes where user_id = $1', [
    userId,
  ]);
  return row?.notes;
}

export async function upsertNotes(tx: Sql, userId: string, notes: string): Promise<void> {
  await tx.query(
    `insert into kyc_notes (user_id, notes) values ($1, $2)
     on conflict (user_id) do update set notes = excluded.notes, updated_at = ${NOW}`,
    [userId, notes],
  );
}
