import type { Readable } from 'node:stream';
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
import {
  dropContent,
  dropContentLater,
  keepContent,
  readContent,
  type StoredContent,
  storeContent,
} from './content';
import { assertWithinQuota } from './quota';

type ContentDeps = Pick<Services, 'database' | 'keyring' | 'parties' | 'now' | 'log'>;

/** Stores the content of a new document, before its transaction begins. @throws Problem 404, 503, 409 `limit_exceeded` */
export async function storeDocument(
  deps: ContentDeps,
  reach: string | null,
  userId: string,
  file: UploadedFile,
): Promise<StoredContent> {
  const user = await requireUser(deps.database, reach, userId);
  const { tenantId } = user;
  await assertWithinQuota(deps.database, { tenantId, userId }, file.size);
  return storeContent(deps, { tenantId, documentId: newId('kycDocument') }, file, userSealer(deps, user));
}

/**
 * Records a document whose content is stored. The first document begins a user's KYC. One after the approval may
 * require a new submission.
 * @throws Problem 404, 409 `limit_exceeded`
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
  await assertWithinQuota(tx, { tenantId: user.tenantId, userId: user.id });
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
 * The content as a stream, which the caller reads or destroys.
 * @throws Problem 503 when the store is unreachable; DocumentUnreadable when the content is lost, damaged, or of an
 *   erased person
 */
export async function documentContent(
  deps: Pick<Services, 'database' | 'keyring'> & { parties: Pick<Services['parties'], 'documents'> },
  { tenantId, id, userId }: Pick<KycDocument, 'tenantId' | 'id' | 'userId'>,
): Promise<Readable> {
  const user = await requireUser(deps.database, null, userId);
  if (user.dataKey === null) throw new DocumentUnreadable(id);
  return readContent(deps, { tenantId, documentId: id }, userSealer(deps, user));
}

/**
 * Seals the content of a user's documents anew, under the user's present key. Idempotent.
 * @throws Problem 503 when the store is unreachable; DocumentUnreadable
 */
export async function resealDocuments(
  deps: Pick<Services, 'database' | 'keyring' | 'now'> & { parties: Pick<Services['parties'], 'documents'> },
  user: User,
): Promise<void> {
  const sealer = userSealer(deps, user);
  for (const { tenantId, id, size } of await documentsOfUser(deps.database, user.id)) {
    const key = { tenantId, documentId: id };
    const read = async function* () {
      yield* (await readContent(deps, key, sealer)) as AsyncIterable<Buffer>;
    };
    await deps.parties.documents.put(key, { size, read }, sealer);
    // A document that was deleted meanwhile has come back by this.
    if (!(await findDocumentById(deps.database, id))) await dropContentLater(deps.database, key, deps.now());
  }
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
