import type { Sql } from '../kernel/db/database';
import { sealedSize } from '../kernel/security/sealed-portions';
import { nameOf } from '../parties/documents/sealed';

/** The records of documents beside the documents store. Names are `<tenant>/<document>`. */
export interface DocumentsCheck {
  /** Records that have their sealed content. */
  kept: number;
  /** Records whose content is missing, or has another length. */
  missing: string[];
  /** Content that no record keeps and that is not scheduled for removal. It is sealed, and harmless. */
  orphans: string[];
}

/**
 * Compares the records of documents with the contents of the store. Raw, because it reads all rows once.
 * @param stored names with the lengths of their sealed bytes
 */
export async function checkDocuments(sql: Sql, stored: ReadonlyMap<string, number>): Promise<DocumentsCheck> {
  const rows = await sql.query<{ tenantId: string; documentId: string; size: number | null }>(
    `select tenant_id as "tenantId", id as "documentId", size from kyc_documents
     union all select tenant_id, id, size from cardholder_files
     union all select tenant_id, document_id, null from document_removals order by 1, 2`,
  );
  const known = new Set<string>();
  const missing: string[] = [];
  for (const { size, ...key } of rows) {
    const name = nameOf(key);
    known.add(name);
    // A removal may have taken its content already.
    if (size !== null && stored.get(name) !== sealedSize(size)) missing.push(name);
  }
  const kept = rows.filter(({ size }) => size !== null).length - missing.length;
  return { kept, missing, orphans: [...stored.keys()].filter((name) => !known.has(name)).sort() };
}
