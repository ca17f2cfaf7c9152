import type { Sql } from '../../src/kernel/db/database';

/** Number of rows and sum of their hashes for each table, independent of their order. */
export type Digest = Record<string, string>;

/**
 * Digests the whole database, so that a difference names the changed tables. Rates are left out, because time alone
 * renews them.
 * @param mentions only rows that contain one of these texts
 */
export async function digest({ database }: { database: Sql }, mentions?: string[]): Promise<Digest> {
  const tables = await database.query<{ name: string }>(
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'counting_rates' order by 1`,
  );
  const hashes = tables.map(
    ({ name }) =>
      `(select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) from "${name}" t
         where $1::text[] is null or t::text like any($1)) as "${name}"`,
  );
  const patterns = mentions?.map((text) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`) ?? null;
  const [row] = await database.query<Digest>(`select ${hashes.join()}`, [patterns]);
  return row as Digest;
}
