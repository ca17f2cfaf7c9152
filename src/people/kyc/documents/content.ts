import type { Readable } from 'node:stream';
import type { Sql, Tx } from '../../../kernel/db/database';
import { isOutOfReach } from '../../../kernel/db/faults';
import { unavailable } from '../../../kernel/errors';
import { forEachIsolated } from '../../../kernel/for-each-isolated';
import type { Sealer } from '../../../kernel/security/sealer';
import type { FileType, UploadedFile } from '../../../kernel/wire/file-type';
import { type DocumentKey, DocumentsAway } from '../../../parties/documents/port';
import type { Services } from '../../../services';
import { cancelRemoval, claimRemovals, forgetRemoval, scheduleRemoval } from './removal-store';

/**
 * Content of documents. The documents store is outside of transactions. Content is therefore stored first, scheduled
 * for removal unless a record keeps it. The content of a deleted record is scheduled for removal in the transaction
 * that deletes it. After any crash, each record has its content, and content without a record is removed within an
 * hour.
 */

type Deps = Pick<Services, 'database' | 'parties' | 'now' | 'log'>;

/** A record must keep its content within this time, which is far longer than any upload takes. */
const KEEP_WITHIN_MS = 60 * 60_000;
const TRY_AGAIN_MS = 10 * 60_000;

/** Content in the store, before its record is committed. */
export interface StoredContent {
  key: DocumentKey;
  contentType: FileType;
  size: number;
  sha256: string;
}

/**
 * @param sealer of the person that the content is about; absent: the installation's
 * @throws Problem 503 when the store is unreachable
 */
export async function storeContent(
  deps: Deps,
  key: DocumentKey,
  file: UploadedFile,
  sealer?: Sealer,
): Promise<StoredContent> {
  await scheduleRemoval(deps.database, key, new Date(deps.now().getTime() + KEEP_WITHIN_MS));
  await orUnavailable(() => deps.parties.documents.put(key, file, sealer));
  const { contentType, size, sha256 } = file;
  return { key, contentType, size, sha256 };
}

/** Keeps the content, in the transaction of its record. @throws Problem 503 when it was removed meanwhile */
export async function keepContent(tx: Tx, { key }: StoredContent): Promise<void> {
  if (!(await cancelRemoval(tx, key.documentId)))
    throw unavailable('The upload took too long. Nothing was recorded.');
}

/** Schedules the content of a deleted record for removal after the commit. */
export async function dropContent(deps: Deps, tx: Tx, key: DocumentKey): Promise<void> {
  await scheduleRemoval(tx, key, deps.now());
  tx.afterCommit(() => {
    removeContent(deps, key).catch((error: unknown) =>
      deps.log.warn({ documentId: key.documentId, error }, 'content will be removed later'),
    );
  });
}

/** Schedules the content of a deleted record for removal, with the hourly ones. */
export const dropContentLater = (tx: Sql, key: DocumentKey, now: Date): Promise<void> =>
  scheduleRemoval(tx, key, now);

/**
 * The content as a stream, which the caller reads or destroys.
 * @throws Problem 503 when the store is unreachable; DocumentUnreadable when the content is lost or damaged
 */
export function readContent(
  { parties }: { parties: Pick<Services['parties'], 'documents'> },
  key: DocumentKey,
  sealer?: Sealer,
): Promise<Readable> {
  return orUnavailable(() => parties.documents.get(key, sealer));
}

/**
 * Removes content that no record keeps, in batches. Content that cannot be removed is tried again in ten minutes.
 * Idempotent.
 * @param onEach called before each removal
 * @returns whether there may be more
 * @throws DocumentsAway when the store is unreachable; the content stays due
 */
export async function removeDueContent(
  deps: Deps,
  limit: number,
  onEach: () => void = () => undefined,
): Promise<{ more: boolean }> {
  const now = deps.now();
  const due = await claimRemovals(deps.database, now, new Date(now.getTime() + TRY_AGAIN_MS), limit);
  await forEachIsolated(
    due,
    async (key) => {
      onEach();
      await removeContent(deps, key);
    },
    {
      log: deps.log,
      failed: 'content could not be removed',
      ids: ({ documentId }) => ({ documentId }),
      concernsAll: (error) => error instanceof DocumentsAway || isOutOfReach(error),
    },
  );
  return { more: due.length === limit };
}

async function removeContent({ database, parties }: Deps, key: DocumentKey): Promise<void> {
  await parties.documents.delete(key);
  await forgetRemoval(database, key.documentId);
}

async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DocumentsAway
      ? unavailable('The documents store cannot be reached just now.')
      : error;
  }
}
