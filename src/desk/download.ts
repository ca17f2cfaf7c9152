import { Readable } from 'node:stream';
import { z } from 'zod';
import { audit } from '../kernel/audit/audit';
import type { Caller } from '../kernel/caller';
import type { Database } from '../kernel/db/database';
import { invalid, notFound } from '../kernel/errors';
import { parsedBy, withinField } from '../kernel/wire/schemas';
import type { Catalogue } from './catalogue';
import { assertPermitted } from './permitted';
import { recordOfId } from './tell';

export interface FileAsked {
  caller: Caller;
  requestId: string;
  id: string;
  reason: string;
  /** Which file, as it was given. */
  input?: unknown;
}

export interface GivenFile {
  content: Buffer | Readable;
  headers: Record<string, string>;
}

const NO_INPUT = z.strictObject({});

/**
 * Gives out the file of a record. The audit log has the operator and the reason before the file is sent.
 * @throws Problem 404; 400 where such a record has no file; 403
 */
export async function giveFile(
  { catalogue, database }: { catalogue: Pick<Catalogue, 'records'>; database: Database },
  { caller, requestId, id: subject, reason, input }: FileAsked,
): Promise<GivenFile> {
  const record = recordOfId(catalogue, subject);
  if (!record) throw notFound('record');
  const { download } = record;
  if (!download) throw invalid('Such a record has no file.');
  assertPermitted(caller, download.permission);
  const wanted = withinField(['input'], () => parsedBy(download.input ?? NO_INPUT, input ?? {}));
  const file = await download.read(subject, wanted);
  const { action, tenantId, after, contentType, content, fileName = subject } = file;
  try {
    await database.transaction((tx) =>
      audit(tx, { caller, requestId, action, subject, tenantId, after: { reason, ...after } }),
    );
  } catch (error) {
    if (content instanceof Readable) content.destroy();
    throw error;
  }
  return {
    content,
    headers: {
      'content-type': contentType,
      'content-disposition': `attachment; filename="${fileName}"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  };
}
