import type { Sql } from '../../kernel/db/database';

/** How many cards of a cardholder use up its capacity on the BIN: all that are neither closed nor failed. */
export async function countOpenCards(sql: Sql, cardholderId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::int as count from cards where cardholder_id = $1 and status not in ('closed', 'failed')`,
    [cardholderId],
  );
  return row?.count ?? 0;
}
