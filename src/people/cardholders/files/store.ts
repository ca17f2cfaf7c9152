import { filtered } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { recordTable } from '../../../kernel/db/record-table';
import { isId } from '../../../kernel/ids';
import type { FileType } from '../../../kernel/wire/file-type';

/** A file that a tenant uploaded for a cardholder's photo. */
export interface CardholderFile {
  id: string;
  tenantId: string;
  contentType: FileType;
  sha256: string;
}

const files = recordTable<CardholderFile>('cardholder_files', {}, [
  'id',
  'tenantId',
  'contentType',
  'sha256',
]);

export async function insertFile(tx: Sql, given: CardholderFile & { size: number }): Promise<void> {
  await tx.run(files().insert(given));
}

/** @param reach the tenant whose files may be found, or null for every tenant's */
export async function findFile(
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<CardholderFile | undefined> {
  if (!isId('file', id)) return undefined;
  return files.one(sql, files().where({ id }).modify(filtered, { tenantId: reach }));
}
