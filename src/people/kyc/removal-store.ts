import type { Sql } from '../../kernel/db/database';
import type { DocumentKey } from '../../parties/documents/port';

/** Content that is to leave the documents store from then on. */
export async function scheduleRemoval(sql: Sql, key: DocumentKey, dueAt: Date): Promise<void> {
  await sql.query(
    `insert into document_removals (document_id, tenant_id, due_at) values ($1, $2, $3)
     on conflict (document_id) do update set due_at = excluded.due_at`,
    [key.documentId, key.tenantId, dueAt],
  );
}

/** @returns false when the removal has begun: the content may be gone */
export async function cancelRemoval(tx: Sql, documentId: string): Promise<boolean> {
  const rows = await tx.query(
    'delete from document_removals where document_id = $1 and not removing returning 1',
    [documentId],
  );
  return rows.length > 0;
}

/** Takes what is due: nobody can cancel it any more, and others look at it again only at `againAt`. */
export async function claimRemovals(
  sql: Sql,
  now: Date,
  againAt: Date,
  limit: number,
): Promise<DocumentKey[]> {
  return sql.query<DocumentKey>(
    `update document_removals r set removing = true, due_at = $2
       from (select document_id from document_removals where due_at <= $1 order by due_at limit $3
                for update skip locked) due
      where r.document_id = due.document_id
      returning r.document_id as "documentId", r.tenant_id as "tenantId"`,
    [now, againAt, limit],
  );
}

export async function forgetRemoval(sql: Sql, documentId: string): Promise<void> {
  await sql.query('delete from document_removals where document_id = $1', [documentId]);
}
