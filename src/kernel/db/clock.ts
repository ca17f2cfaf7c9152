import type { Sql } from './database';

/** The time by the database's clock, in milliseconds, as rows are stamped with it. */
export async function databaseTime(sql: Sql): Promise<Date> {
  const [row] = await sql.query<{ now: Date }>(`select date_trunc('milliseconds', clock_timestamp()) as now`);
  if (!row) throw new Error('the database has no time');
  return row.now;
}
