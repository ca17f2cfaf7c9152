import type { Sql } from '../../../kernel/db/database';
import { recordTable, wholeUnits } from '../../../kernel/db/record-table';
import type { Dust, KeptDust } from './record';

const dust = recordTable<KeptDust>('pool_dust', { belowMinimum: wholeUnits, belowLedger: wholeUnits }, [
  ...['asset', 'belowMinimum', 'belowLedger', 'readAt'],
]);

/** Stores dust. Keeps the earlier reading of an asset that could not be read. */
export async function saveDust(sql: Sql, chain: string, found: readonly Dust[], readAt: Date): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map(({ asset: { symbol }, belowMinimum, belowLedger }) => ({
    ...dust.row({ asset: symbol, belowMinimum, belowLedger, readAt }),
    chain,
  }));
  await sql.run(dust().insert(rows).onConflict(['chain', 'asset']).merge());
}

/** Returns the stored dust, in no order. */
export const keptDust = (sql: Sql, chain: string): Promise<KeptDust[]> =>
  dust.all(sql, dust().where({ chain }));
