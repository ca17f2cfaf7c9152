import { table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import type { Dust, KeptDust } from './record';

/** NUMERIC comes as text. */
type Row = Omit<KeptDust, 'belowMinimum' | 'belowLedger'> & Record<'belowMinimum' | 'belowLedger', string>;

/** Of an asset that could not be read what was found before stays. */
export async function saveDust(sql: Sql, chain: string, found: readonly Dust[], readAt: Date): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map(({ asset: { symbol }, belowMinimum, belowLedger }) => ({
    ...{ chain, asset: symbol, readAt },
    ...{ belowMinimum: String(belowMinimum), belowLedger: String(belowLedger) },
  }));
  await sql.run(table('pool_dust').insert(rows).onConflict(['chain', 'asset']).merge());
}

/** In no order. */
export async function keptDust(sql: Sql, chain: string): Promise<KeptDust[]> {
  const columns = ['asset', 'belowMinimum', 'belowLedger', 'readAt'];
  const rows = await sql.run<Row>(table('pool_dust').select(columns).where({ chain }));
  return rows.map((row) => ({
    ...row,
    ...{ belowMinimum: BigInt(row.belowMinimum), belowLedger: BigInt(row.belowLedger) },
  }));
}
