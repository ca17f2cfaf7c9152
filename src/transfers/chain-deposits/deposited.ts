import type { Deposited } from '../../chain/services';
import { raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';

/** @returns what final deposits have brought to those addresses, by address and token */
export async function depositedAt(
  sql: Sql,
  chain: string,
  addresses: readonly string[],
): Promise<Deposited[]> {
  const rows = await sql.run<Omit<Deposited, 'units'> & { units: string }>(
    table('transfers')
      .select(raw(`terms->>'address' as address, terms->>'token' as token`))
      .select(raw(`sum((word->>'units')::numeric)::text as units`))
      .where({ kind: 'chain_deposit' })
      .whereRaw(`terms->>'chain' = ? and terms->>'address' = any(?::text[])`, [chain, [...addresses]])
      .whereRaw(`word->>'state' = 'final'`)
      .groupByRaw('1, 2'),
  );
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
}
