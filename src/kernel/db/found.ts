import { anyOf, raw, table } from './build';
import type { Sql } from './database';

/** A record that a search by a text has found. */
export interface FoundRecord {
  id: string;
  tenantId: string | null;
  status: string | null;
  /** When it was made. */
  at: Date | null;
}

export interface WantedRecords {
  /** A table of records, with `id`, `tenant_id` and `created_at`. */
  table: string;
  /** A column with an index, which serves the search. */
  column: string;
  /** A text, or a keyed hash of one. */
  text: string | Buffer;
  /** Whether the column begins with the text, instead of being it. */
  begins?: boolean;
  /** SQL of the status, where it is not the column `status`. */
  status?: string;
  /** Further columns of the index, each with all values that count. */
  among?: Readonly<Record<string, readonly string[]>>;
}

/** Finds records by a text in one of their columns, newest first. */
export function foundRecords(sql: Sql, wanted: WantedRecords, limit: number): Promise<FoundRecord[]> {
  const { table: name, column, text, begins = false, status = 'status', among = {} } = wanted;
  const query = table(name)
    .select('id', 'tenantId', raw(`${status} as status`), raw('created_at as at'))
    .orderBy('id', 'desc')
    .limit(limit);
  for (const [other, values] of Object.entries(among)) void query.where(anyOf(other, values));
  // The columns sort by their bytes, so a text with the highest character ends the range.
  if (begins) void query.where(column, '>=', text).where(column, '<', `${text as string}\uffff`);
  else void query.where(column, text);
  return sql.run(query);
}
