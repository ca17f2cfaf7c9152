import { raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';

/** What a station knows of its chain that the ledger does not say: for whoever compares the two. */

const operations = () => table('gas_operations');

/**
 * Units that sweeps have moved and the ledger could not hold, for each was booked rounded down.
 * @param unit the ledger's least of the asset, in units of the chain
 */
export async function sweptDust(
  sql: Sql,
  { chain, asset, unit }: { chain: string; asset: string; unit: bigint },
): Promise<{ moved: bigint; lost: bigint }> {
  const sum = (column: string, name: string) =>
    raw(`coalesce(sum(mod(${column}, ?)), 0)::text as ${name}`, [String(unit)]);
  const [row] = await sql.run<{ moved: string; lost: string }>(
    operations()
      .select(sum('moved_units', 'moved'), sum('lost_units', 'lost'))
      .where({ chain, asset, type: 'sweep' })
      .whereNotNull('executedAt'),
  );
  return { moved: BigInt(row?.moved ?? 0), lost: BigInt(row?.lost ?? 0) };
}
