import type { Sql } from '../../../src/kernel/db/database';

/** The differences that a person sees now. */
export const shownDifferences = (sql: Sql) =>
  sql.query<{ subject: string; amount: string; currency: string }>(
    `select subject, amount::text, currency from breaks where kind = 'chain_difference' and resolved_at is null order by 1`,
  );
