import type { Sql } from './db/database';
import { invalid } from './errors';

/** Limits count a card's spending of this and the last month, and the desk draws 90 days, so younger rows are never archived. */
export const MIN_ARCHIVED_DAYS = 100;

/** @throws Problem 400 for a moment in the last {@link MIN_ARCHIVED_DAYS} days */
export async function assertOldEnough(sql: Sql, before: Date): Promise<void> {
  const [latest] = await sql.query<{ at: Date }>(
    'select product_now() - make_interval(days => $1::int) as at',
    [MIN_ARCHIVED_DAYS],
  );
  if (!latest || before > latest.at)
    throw invalid(`The time must be at least ${MIN_ARCHIVED_DAYS} days ago.`, 'before');
}
