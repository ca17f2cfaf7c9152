import type { Database } from '../../src/kernel/db/database';
import { testApi } from '../support/api';
import { type Statement, spiedDatabase } from './spy';

/** How many rows each table gets. */
const MANY = 60_000;

/** SQL of when the row `n` of those was made: the last one now, each before it half a minute earlier. */
export const MADE_AT = `now() - make_interval(secs => ($1::int - n) * 30)`;

/**
 * An API over tables of many rows, and the statements that it sends.
 * @param fills SQL of the rows from 1 to `$1`; what they belong to is not filled
 */
export async function filledApi(fills: readonly string[]) {
  const statements: Statement[] = [];
  const api = await testApi({}, (database: Database) => spiedDatabase(database, statements));
  await api.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    for (const text of fills) await tx.query(text, [MANY]);
  });
  await api.database.query('analyze');
  return { api, admin: await api.client('admin'), statements };
}
