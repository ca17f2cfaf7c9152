import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';

/** Locks the row of an order's key in a party's table. The first call inserts it. */
export async function lockByKey<Row>(
  tx: Sql,
  name: string,
  row: { key: string } & Record<string, unknown>,
  columns: readonly string[],
): Promise<Row> {
  // One round trip: the second statement sees the row of the first.
  const [, [locked]] = await Promise.all([
    tx.run(table(name).insert(row).onConflict('key').ignore()),
    tx.run<Row>(table(name).select(columns).where({ key: row.key }).forUpdate()),
  ]);
  return locked as Row;
}
