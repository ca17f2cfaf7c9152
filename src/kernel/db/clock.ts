import type { Sql } from './database';

/** The product's present time by the database, in milliseconds, the resolution of all stored times. */
export async function databaseTime(sql: Sql): Promise<Date> {
  const [row] = await sql.query<{ now: Date }>('select product_now() as now');
  if (!row) throw new Error('the database has no time');
  return row.now;
}
