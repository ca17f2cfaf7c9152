import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict, notFound } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import type { UploadedFile } from '../../../kernel/wire/file-type';
import { DocumentUnreadable } from '../../../parties/documents/port';
import type { Services } from '../../../services';
import { requireUser, type User, userSealer } from '../../users/operations';
import { noteNewDocument } from '../approvals';
import { changeStatus } from '../change-status';
import {
  type KycDocument,
  type KycDocumentDecision,
  type KycSlot,
  kycStatusAfter,
  requireDocumentTransition,
} from '../record';
import { isDeletable } from '../rules';
import {
  deleteDocumentRow,
  documentsOfUser,
  findDocument,
  findDocumentById,
  insertDecision,
  insertDocument,
  updateDocumentStatus,
} from '../store';
import { dropContent, keepContent, readContent, type StoredContent, storeContent } from './content';

type ContentDeps = Pick<Services, 'database' | 'keyring' | 'parties' | 'now' | 'log'>;

/** Stores the content of a new document, before its transaction begins. @throws Problem 404, 503 */
export async function storeDocument(
  deps: ContentDeps,
  reach: string | null,
  userId: string,
  file: UploadedFile,
): Promise<StoredContent> {
  const user = await requireUser(deps.database, reach, userId);
  const key = { tenantId: user.tenantId, documentId: newId('kycDocument') };
  return storeContent(deps, key, file, userSealer(deps, user));
}

/**
 * Records a document whose content is stored. The first document begins a user's KYC. One after the approval may
 * require a new submission.
 * @throws Problem 404
 */
export async function addDocument(
  tx: Tx,
  given: {
    reach: string | null;
    userId: string;
    slot: KycSlot;
    content: StoredContent;
    idempotencyKey: string | undefined;
  },
): Promise<KycDocument> {
  const user = await requireUser(tx, given.reach, given.userId, { lock: 'update' });
  const { key, contentType, size, sha256 } = given.content;
  await keepContent(tx, given.content);
  const document = await insertDocument(tx, {
    id: key.documentId,
    tenantId: user.tenantId,
    userId: user.id,
    slot: given.slot,
    contentType,
    size,
    sha256,
  });
  const status = kycStatusAfter(user.kycStatus, 'document_uploaded');
  if (status) await changeStatus(tx, user, status, given);
  await noteNewDocument(tx, user, given);
  return document;
}

/** @throws Problem 404 */
export async function requireDocument(
  sql: Sql,
  reach: string | null,
  userId: string,
  documentId: string,
): Promise<KycDocument> {
  const user = await requireUser(sql, reach, userId);
  const document = await findDocument(sql, user.id, documentId);
  if (!document) throw notFound('document');
  return document;
}

/** A document of any user, for operators. @throws Problem 404 */
export async function requireDocumentById(sql: Sql, id: string): Promise<KycDocument> {
  const document = await findDocumentById(sql, id);
  if (!document) throw notFound('document');
  return document;
}

/**
 * @throws Problem 503 when the store is unreachable; DocumentUnreadable when the content is lost, damaged, or of an
 *   erased person
 */
export async function documentContent(
  deps: Pick<Services, 'database' | 'keyring'> & { parties: Pick<Services['parties'], 'documents'> },
  { tenantId, id, userId }: Pick<KycDocument, 'tenantId' | 'id' | 'userId'>,
): Promise<Buffer> {
  const user = await requireUser(deps.database, null, userId);
  if (user.dataKey === null) throw new DocumentUnreadable(id);
  return readContent(deps, { tenantId, documentId: id }, userSealer(deps, user));
}

/** @throws Problem 404, 409 `invalid_transition` for a document that was submitted or judged */
export async function deleteDocument(
  deps: ContentDeps,
  tx: Tx,
  given: { reach: string | null; userId: string; documentId: string; idempotencyKey: string | undefined },
): Promise<KycDocument> {
  const user = await requireUser(tx, given.reach, given.userId, { lock: 'update' });
  const document = await requireDocument(tx, given.reach, user.id, given.documentId);
  if (!isDeletable(user.kycStatus, document))
    throw conflict('invalid_transition', 'A document that was submitted or judged cannot be deleted.');
  await deleteDocumentRow(tx, document.id);
  await dropContent(deps, tx, { tenantId: document.tenantId, documentId: document.id });
  if ((await documentsOfUser(tx, user.id)).length === 0) {
    const status = kycStatusAfter(user.kycStatus, 'last_document_deleted');
    if (status) await changeStatus(tx, user, status, given);
  }
  return document;
}

/**
 * Records an operator's decision on one document, with its new status.
 * @throws Problem 404, 409 `invalid_transition`
 */
export async function decideDocument(
  tx: Tx,
  given: {
    reach: string | null;
    userId: string;
    documentId: string;
    decision: KycDocumentDecision;
    note?: string | undefined;
    decidedBy: string;
  },
): Promise<{ before: KycDocument; after: KycDocument }> {
  const user = await requireUser(tx, given.reach, given.userId, { lock: 'update' });
  const before = await requireDocument(tx, given.reach, user.id, given.documentId);
  const status = requireDocumentTransition(before.status, given.decision);
  const { decision, decidedBy, note = null } = given;
  await insertDecision(tx, {
    userId: user.id,
    documentId: before.id,
    decision,
    reason: note,
    decidedBy,
  });
  return { before, after: await updateDocumentStatus(tx, before.id, status, note) };
}

/** Removes the content of a user's documents from the store. Their records stay. */
export async function forgetDocuments(deps: ContentDeps, tx: Tx, { id, tenantId }: User): Promise<void> {
  for (const { id: documentId } of await documentsOfUser(tx, id))
    await dropContent(deps, tx, { tenantId, documentId });
}
