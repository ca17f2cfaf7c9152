import type { Sql } from './database';

/** The present time of the database in milliseconds, the resolution of all stored times. */
export async function databaseTime(sql: Sql): Promise<Date> {
  const [row] = await sql.query<{ now: Date }>(`select date_trunc('milliseconds', clock_timestamp()) as now`);
  if (!row) throw new Error('the database has no time');
  return row.now;
}
