import { filtered, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { isId } from '../../../kernel/ids';
import type { FileType } from '../../../kernel/wire/file-type';

/** A file that a tenant uploaded for a cardholder's photo. */
export interface CardholderFile {
  id: string;
  tenantId: string;
  contentType: FileType;
  sha256: string;
}

const COLUMNS = ['id', 'tenantId', 'contentType', 'sha256'];

const files = () => table('cardholder_files');

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
  const [file] = await sql.run<CardholderFile>(
    files().select(COLUMNS).where({ id }).modify(filtered, { tenantId: reach }),
  );
  return file;
}
