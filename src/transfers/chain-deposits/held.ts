import { sweptFrom } from '../../chain/gas-station/beside-books';
import type { Held } from '../../chain/services';
import { raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';

/** What final deposits have brought to those addresses, less what sweeps have taken from them: by address and token. */
export async function heldByBooks(sql: Sql, chain: string, addresses: readonly string[]): Promise<Held[]> {
  const came = await depositedAt(sql, chain, addresses);
  const left = await sweptFrom(sql, chain, addresses);
  return came.map(({ address, token, units }) => {
    const swept = left.find((each) => each.address === address && each.token === token);
    return { address, token, units: units - (swept?.units ?? 0n) };
  });
}

async function depositedAt(sql: Sql, chain: string, addresses: readonly string[]): Promise<Held[]> {
  const rows = await sql.run<Omit<Held, 'units'> & { units: string }>(
    table('transfers')
      .select(raw(`terms->>'address' as address, terms->>'token' as token`))
      .select(
        raw(
          `coalesce(sum((word->>'units')::numeric) filter (where word->>'state' = 'final'), 0)::text as units`,
        ),
      )
      .where({ kind: 'chain_deposit' })
      .whereRaw(`terms->>'chain' = ? and terms->>'address' = any(?::text[])`, [chain, [...addresses]])
      .groupByRaw('1, 2'),
  );
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
}
