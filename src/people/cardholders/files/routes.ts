import { z } from 'zod';
import { type Route, route } from '../../../http/route';
import { auditAdmin } from '../../../kernel/audit/audit';
import { type Caller } from '../../../kernel/caller';
import { conflict, invalid, notFound } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import type { UploadedFile } from '../../../kernel/wire/file-type';
import { identifier } from '../../../kernel/wire/schemas';
import { keepContent, readContent, type StoredContent, storeContent } from '../../kyc/documents/content';
import { addDocument, storeDocument } from '../../kyc/documents/documents';
import { assertWithinQuota } from '../../kyc/documents/quota';
import { KYC_SLOTS } from '../../kyc/record';
import { documentSchema, documentView } from '../../kyc/view';
import { requireCardholder } from '../operations';
import type { CardholderServices } from '../services';
import { findFile, insertFile } from './store';

const TAG = 'Cardholders';

/** Routes that upload files of cardholders (`interface.md 4.1`; decisions part 4, Cardholders). */
export function cardholderUploadRoutes(services: CardholderServices): Route[] {
  return [fileRoute(services), photoRoute(services)];
}

function fileRoute(services: CardholderServices): Route {
  return route({
    method: 'POST',
    path: '/v1/cardholders/files',
    scope: 'cards',
    tag: TAG,
    summary: 'Upload a cardholder file',
    description: 'Stores a file for 30 days. Give the `fileId` as a photo of a cardholder, who keeps a copy.',
    files: { file: 'required' },
    response: z
      .object({ fileId: z.string().meta({ examples: ['file_01h455vb4pex5vsknk084sn02q'] }) })
      .meta({ id: 'UploadedFile' }),
    status: 201,
    problems: ['limit_exceeded'],
    async prepare({ caller: { tenantId }, files }) {
      const file = files['file'] as UploadedFile;
      await assertWithinQuota(services.database, { tenantId }, file.size);
      return storeContent(services, { tenantId, documentId: newId('file') }, file);
    },
    async write(tx, { caller, requestId }, content) {
      const { key, contentType, size, sha256 } = content;
      const { documentId: id, tenantId } = key;
      await keepContent(tx, content);
      await insertFile(tx, { id, tenantId, contentType, size, sha256 });
      await assertWithinQuota(tx, { tenantId });
      await auditAdmin(tx, {
        caller,
        requestId,
        action: 'cardholders.upload-file',
        subject: id,
        tenantId,
      });
      return { fileId: id };
    },
  });
}

const photoBody = z.strictObject({
  slot: z.enum(KYC_SLOTS),
  fileId: identifier('file_01h455vb4pex5vsknk084sn02q').optional(),
});

interface Photo {
  userId: string;
  content: StoredContent;
}

function photoRoute(services: CardholderServices): Route {
  return route({
    method: 'POST',
    path: '/v1/cardholders/{id}/photos',
    scope: 'cards',
    tag: TAG,
    summary: 'Upload cardholder photos',
    description:
      "Adds a file, or an uploaded file by its `fileId`, as the user's newest KYC document of the slot.",
    body: photoBody,
    files: { file: 'optional' },
    response: documentSchema,
    status: 201,
    problems: ['invalid_transition', 'limit_exceeded', 'no_linked_user'],
    prepare: ({ caller, params, body: { fileId }, files }) =>
      storePhoto(services, caller, params['id'] ?? '', files['file'], fileId),
    async write(tx, { caller, params, body: { slot }, requestId, idempotencyKey }, photo) {
      if (!photo) throw conflict('no_linked_user', 'The cardholder has no linked user.');
      const given = { reach: caller.reach, ...photo, slot, idempotencyKey };
      const document = await addDocument(tx, given);
      const { id, tenantId } = document;
      const subject = params['id'] ?? '';
      const after = { documentId: id, slot };
      await auditAdmin(tx, { caller, requestId, action: 'cardholders.photo', subject, tenantId, after });
      return documentView(document);
    },
  });
}

/**
 * Stores the content of a photo for a new document of the cardholder's user.
 * @returns undefined when the cardholder has no linked user
 * @throws Problem 404 cardholder or file, 400 unless there is either a file or a fileId
 */
async function storePhoto(
  services: CardholderServices,
  { reach }: Pick<Caller, 'reach'>,
  cardholderId: string,
  sent: UploadedFile | undefined,
  fileId: string | undefined,
): Promise<Photo | undefined> {
  const { userId } = await requireCardholder(services.database, reach, cardholderId);
  const named = fileId === undefined ? undefined : await requireFile(services, reach, fileId);
  if ((sent === undefined) === (named === undefined))
    throw invalid('Either file or fileId is required, not both.', 'file');
  if (userId === null) return undefined;
  const file = sent ?? named;
  if (!file) throw new Error('a photo has a file');
  return { userId, content: await storeDocument(services, reach, userId, file) };
}

/** @throws Problem 404 naming the field */
async function requireFile(
  services: CardholderServices,
  reach: string | null,
  id: string,
): Promise<UploadedFile> {
  const file = await findFile(services.database, reach, id);
  if (!file) throw notFound('file', 'fileId');
  const { tenantId, contentType, size, sha256 } = file;
  return {
    contentType,
    size,
    sha256,
    async *read() {
      yield* await readContent(services, { tenantId, documentId: id });
    },
  };
}
