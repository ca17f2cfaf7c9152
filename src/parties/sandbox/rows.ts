import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';

/** The row of an order's key in a party's table, locked; made at the first call. */
export async function lockByKey<Row>(
  tx: Sql,
  name: string,
  row: { key: string } & Record<string, unknown>,
  columns: readonly string[],
): Promise<Row> {
  // One way there and back: the second sees what the first has made.
  const [, [locked]] = await Promise.all([
    tx.run(table(name).insert(row).onConflict('key').ignore()),
    tx.run<Row>(table(name).select(columns).where({ key: row.key }).forUpdate()),
  ]);
  return locked as Row;
}
