import type { Sql } from '../../../src/kernel/db/database';

/** A fingerprint of each table of a database. */
export async function databaseFingerprint(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql.query<{ name: string; content: string }>(
    `select relname as name,
            query_to_xml(format('select count(*), md5(string_agg(t::text, '''' order by t::text)) from %I t', relname), false, true, '')::text
              as content
       from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, content }) => [name, content]));
}

/** Names the tables whose content has changed. */
export async function changedSince(sql: Sql, before: ReadonlyMap<string, string>): Promise<string[]> {
  return [...(await databaseFingerprint(sql))]
    .filter(([name, content]) => before.get(name) !== content)
    .map(([name]) => name);
}
