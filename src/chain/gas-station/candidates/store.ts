import { table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import type { Dust, KeptDust } from './record';

/** Postgres returns NUMERIC as text. */
type Row = Omit<KeptDust, 'belowMinimum' | 'belowLedger'> & Record<'belowMinimum' | 'belowLedger', string>;

/** Stores dust. Keeps the earlier reading of an asset that could not be read. */
export async function saveDust(sql: Sql, chain: string, found: readonly Dust[], readAt: Date): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map(({ asset: { symbol }, belowMinimum, belowLedger }) => ({
    ...{ chain, asset: symbol, readAt },
    ...{ belowMinimum: String(belowMinimum), belowLedger: String(belowLedger) },
  }));
  await sql.run(table('pool_dust').insert(rows).onConflict(['chain', 'asset']).merge());
}

/** Returns the stored dust, in no order. */
export async function keptDust(sql: Sql, chain: string): Promise<KeptDust[]> {
  const columns = ['asset', 'belowMinimum', 'belowLedger', 'readAt'];
  const rows = await sql.run<Row>(table('pool_dust').select(columns).where({ chain }));
  return rows.map((row) => ({
    ...row,
    ...{ belowMinimum: BigInt(row.belowMinimum), belowLedger: BigInt(row.belowLedger) },
  }));
}
