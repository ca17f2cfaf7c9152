import type { Database } from '../../src/kernel/db/database';
import { testApi } from '../support/api';
import { type Statement, spiedDatabase } from './spy';

/** Number of rows of each table. */
const MANY = 60_000;

/** SQL of the time of row `n`: the last row is now, and each earlier one is half a minute older. */
export const MADE_AT = `now() - make_interval(secs => ($1::int - n) * 30)`;

/**
 * Starts an API over filled tables, and collects its statements.
 * @param fills SQL of the rows from 1 to `$1`; records that they refer to are not filled
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
