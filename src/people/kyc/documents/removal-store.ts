import { table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import type { DocumentKey } from '../../../parties/documents/port';

const removals = () => table('document_removals');

/** Schedules content for removal from the documents store. */
export async function scheduleRemoval(sql: Sql, key: DocumentKey, dueAt: Date): Promise<void> {
  const { documentId, tenantId } = key;
  await sql.run(removals().insert({ documentId, tenantId, dueAt }).onConflict('documentId').merge(['dueAt']));
}

/** @returns false when the removal has begun, so that the content may be gone */
export async function cancelRemoval(tx: Sql, documentId: string): Promise<boolean> {
  const cancelled = await tx.run(
    removals().where({ documentId, removing: false }).delete().returning('documentId'),
  );
  return cancelled.length > 0;
}

/**
 * Claims due removals. A claimed removal cannot be cancelled and is due again only at `againAt`. Raw SQL for `skip
 * locked`, so that concurrent claims do not wait for each other.
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
