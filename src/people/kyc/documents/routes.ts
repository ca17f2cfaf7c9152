import { z } from 'zod';
import { Reply, type Route, route } from '../../../http/route';
import { audit, auditAdmin } from '../../../kernel/audit/audit';
import type { UploadedFile } from '../../../kernel/wire/file-type';
import { FILE_TYPES, type FileType } from '../../../kernel/wire/file-type';
import { idPage, pageById } from '../../../kernel/wire/id-pages';
import { pageQuery, pageSchema } from '../../../kernel/wire/pages';
import { text } from '../../../kernel/wire/schemas';
import type { Services } from '../../../services';
import { requireUser } from '../../users/operations';
import { KYC_DOCUMENT_DECISIONS, KYC_DOCUMENT_STATUSES, KYC_SLOTS } from '../record';
import { listDocuments } from '../store';
import { documentSchema, documentView } from '../view';
import {
  addDocument,
  decideDocument,
  deleteDocument,
  documentContent,
  requireDocument,
  storeDocument,
} from './documents';

const TAG = 'KYC';
const PATH = '/v1/users/{id}/kyc/documents';

export function kycDocumentRoutes(services: Services): Route[] {
  return [
    listRoute(services),
    uploadRoute(services),
    readRoute(services),
    deleteRoute(services),
    contentRoute(services),
    decisionRoute(),
  ];
}

function listRoute({ database }: Services): Route {
  return route({
    method: 'GET',
    path: PATH,
    tag: TAG,
    summary: 'List KYC documents',
    description:
      "Lists the user's documents, newest first, including rejected ones. `GET …/content` returns their content.",
    query: z.object({
      ...pageQuery,
      slot: z.enum(KYC_SLOTS).optional(),
      status: z.enum(KYC_DOCUMENT_STATUSES).optional(),
    }),
    response: pageSchema(documentSchema),
    async read({ caller, params, query }) {
      const { page, limit, filter } = idPage(query, 'kycDocument');
      const user = await requireUser(database, caller.reach, params['id'] ?? '');
      return pageById(await listDocuments(database, user.id, filter, page), limit, documentView);
    },
  });
}

function uploadRoute(services: Services): Route {
  return route({
    method: 'POST',
    path: PATH,
    tag: TAG,
    summary: 'Upload a KYC document',
    description: 'Adds a document at any time. The newest document of a slot that is not rejected counts.',
    body: z.strictObject({ slot: z.enum(KYC_SLOTS) }),
    files: { file: 'required' },
    response: documentSchema,
    status: 201,
    problems: ['invalid_transition'],
    prepare: ({ caller, params, files }) =>
      storeDocument(services, caller.reach, params['id'] ?? '', files['file'] as UploadedFile),
    async write(tx, { caller, params, body: { slot }, requestId, idempotencyKey }, content) {
      const userId = params['id'] ?? '';
      const given = { reach: caller.reach, userId, slot, content, idempotencyKey };
      const document = await addDocument(tx, given);
      const { id: subject, tenantId } = document;
      await auditAdmin(tx, { caller, requestId, action: 'kyc.upload-document', subject, tenantId });
      return documentView(document);
    },
  });
}

function readRoute({ database }: Services): Route {
  return route({
    method: 'GET',
    path: `${PATH}/{docId}`,
    tag: TAG,
    summary: 'A KYC document',
    description: 'Returns the document without its content. `GET …/content` returns the content.',
    response: documentSchema,
    read: async ({ caller, params }) =>
      documentView(await requireDocument(database, caller.reach, params['id'] ?? '', params['docId'] ?? '')),
  });
}

function deleteRoute(services: Services): Route {
  return route({
    method: 'DELETE',
    path: `${PATH}/{docId}`,
    tag: TAG,
    summary: 'Delete a KYC document',
    description: 'Deletes a document that was neither submitted nor judged.',
    status: 204,
    problems: ['invalid_transition'],
    async write(tx, { caller, params, requestId, idempotencyKey }) {
      const document = await deleteDocument(services, tx, {
        reach: caller.reach,
        userId: params['id'] ?? '',
        documentId: params['docId'] ?? '',
        idempotencyKey,
      });
      const { id: subject, tenantId } = document;
      await auditAdmin(tx, { caller, requestId, action: 'kyc.delete-document', subject, tenantId });
    },
  });
}

const EXTENSIONS: Record<FileType, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
};

function contentRoute(services: Services): Route {
  const { database } = services;
  return route({
    method: 'GET',
    path: `${PATH}/{docId}/content`,
    tag: TAG,
    summary: 'Download document content',
    description:
      'Returns the content as an attachment that no cache stores. An operator’s download is recorded in the audit log.',
    response: z.string().meta({ format: 'binary' }),
    produces: FILE_TYPES,
    async read({ caller, params, requestId }) {
      const document = await requireDocument(
        database,
        caller.reach,
        params['id'] ?? '',
        params['docId'] ?? '',
      );
      const content = await documentContent(services, document);
      const { id: subject, tenantId, contentType } = document;
      await auditAdmin(database, { caller, requestId, action: 'kyc.download-document', subject, tenantId });
      return new Reply(200, content, {
        'content-type': contentType,
        'content-disposition': `attachment; filename="${subject}.${EXTENSIONS[contentType]}"`,
        'x-content-type-options': 'nosniff',
      });
    },
  });
}

function decisionRoute(): Route {
  return route({
    method: 'PATCH',
    path: `${PATH}/{docId}/status`,
    tag: TAG,
    summary: 'Update document status',
    description: 'Approves or rejects the document. The client can read the note.',
    role: 'admin',
    body: z.strictObject({ status: z.enum(KYC_DOCUMENT_DECISIONS), note: text(500).optional() }),
    response: documentSchema,
    problems: ['invalid_transition'],
    async write(tx, { caller, params, body: { status: decision, note }, requestId }) {
      const { before, after } = await decideDocument(tx, {
        reach: caller.reach,
        userId: params['id'] ?? '',
        documentId: params['docId'] ?? '',
        decision,
        note,
        decidedBy: caller.tenantId,
      });
      await audit(tx, {
        caller,
        requestId,
        action: 'kyc.document-status',
        subject: after.id,
        tenantId: after.tenantId,
        before: { status: before.status },
        after: { status: after.status },
      });
      return documentView(after);
    },
  });
}
