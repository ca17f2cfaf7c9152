import type { Sql } from '../../../kernel/db/database';
import { isId } from '../../../kernel/ids';
import type { FileType } from '../../../kernel/wire/file-type';

/** A file that a tenant has uploaded, to be named as a cardholder's photo. */
export interface CardholderFile {
  id: string;
  tenantId: string;
  contentType: FileType;
  sha256: string;
}

const COLUMNS = 'id, tenant_id as "tenantId", content_type as "contentType", sha256';

export async function insertFile(tx: Sql, given: CardholderFile & { size: number }): Promise<void> {
  await tx.query(
    'insert into cardholder_files (id, tenant_id, content_type, size, sha256) values ($1, $2, $3, $4, $5)',
    [given.id, given.tenantId, given.contentType, given.size, given.sha256],
  );
}

/** @param reach the tenant whose files may be found, or null for every tenant's */
export async function findFile(
  sql: Sql,
  reach: string | null,
  id: string,
): Promise<CardholderFile | undefined> {
  if (!isId('file', id)) return undefined;
  const [row] = await sql.query<CardholderFile>(
    `select ${COLUMNS} from cardholder_files where id = $1 and ($2::text is null or tenant_id = $2)`,
    [id, reach],
  );
  return row;
}
