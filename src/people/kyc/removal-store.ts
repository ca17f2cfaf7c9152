import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { DocumentKey } from '../../parties/documents/port';

const removals = () => table('document_removals');

/** Content that is to leave the documents store from then on. */
export async function scheduleRemoval(sql: Sql, key: DocumentKey, dueAt: Date): Promise<void> {
  const { documentId, tenantId } = key;
  await sql.run(removals().insert({ documentId, tenantId, dueAt }).onConflict('documentId').merge(['dueAt']));
}

/** @returns false when the removal has begun: the content may be gone */
export async function cancelRemoval(tx: Sql, documentId: string): Promise<boolean> {
  const cancelled = await tx.run(
    removals().where({ documentId, removing: false }).delete().returning('documentId'),
  );
  return cancelled.length > 0;
}

/**
 * Claims what is due: nobody can cancel it any more, and it is due again only at `againAt`. Raw for `skip locked`: of many
 * who claim at once none waits for another.
 */
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
  await sql.run(removals().where({ documentId }).delete());
}
