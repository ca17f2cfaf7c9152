import { filtered } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { oldestRows } from '../../../kernel/db/portions';
import { recordTable } from '../../../kernel/db/record-table';
import { isId } from '../../../kernel/ids';
import type { FileType } from '../../../kernel/wire/file-type';

/** A file that a tenant uploaded for a cardholder's photo. */
export interface CardholderFile {
  id: string;
  tenantId: string;
  contentType: FileType;
  /** In bytes. */
  size: number;
  sha256: string;
}

const files = recordTable<CardholderFile>('cardholder_files', {}, [
  'id',
  'tenantId',
  'contentType',
  'size',
  'sha256',
]);

export async function insertFile(tx: Sql, given: CardholderFile): Promise<void> {
  await tx.run(files().insert(given));
}

/**
 * Deletes files older than 30 days.
 * @returns the deleted files
 */
export const deleteOldFiles = (tx: Sql, limit: number): Promise<Pick<CardholderFile, 'id' | 'tenantId'>[]> =>
  tx.query(
    `delete from cardholder_files where ${oldestRows('cardholder_files', '30 days')}
     returning id, tenant_id as "tenantId"`,
    [limit],
  );

/** @param reach the tenant whose files may be found, or null for every tenant's */
export async function findFile(
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<CardholderFile | undefined> {
  if (!isId('file', id)) return undefined;
  return files.one(sql, files().where({ id }).modify(filtered, { tenantId: reach }));
}
