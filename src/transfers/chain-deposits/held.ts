import { sweptFrom } from '../../chain/gas-station/beside-books';
import type { Held } from '../../chain/services';
import { raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { SEEN } from './told';

/**
 * What final deposits have brought to those addresses, less what sweeps have taken from them: by address and token.
 * @param until of what counts now, what was known by then; absent: all of it
 */
export async function heldByBooks(
  sql: Sql,
  chain: string,
  addresses: readonly string[],
  until?: Date,
): Promise<Held[]> {
  const came = await depositedAt(sql, chain, addresses, until);
  const left = await sweptFrom(sql, chain, addresses, until);
  return came.map(({ address, token, units }) => {
    const swept = left.find((each) => each.address === address && each.token === token);
    return { address, token, units: units - (swept?.units ?? 0n) };
  });
}

async function depositedAt(
  sql: Sql,
  chain: string,
  addresses: readonly string[],
  until: Date | undefined,
): Promise<Held[]> {
  const rows = await sql.run<Omit<Held, 'units'> & { units: string }>(
    table('transfers')
      .select(raw(`terms->>'address' as address, terms->>'token' as token`))
      .select(unitsOf(until))
      .where({ kind: 'chain_deposit' })
      .whereRaw(`terms->>'chain' = ? and terms->>'address' = any(?::text[])`, [chain, [...addresses]])
      .groupByRaw('1, 2'),
  );
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
}

/**
 * Since when a transaction is known to have brought something there: taken back and told again, however, it is the same money. Never
 * before its block: what was told too early had not come then.
 */
const KNOWN_AT = `greatest((terms->>'blockAt')::timestamptz, coalesce(
  (select min(said.at) from transfers as told join transfer_decisions as said on said.transfer_id = told.id
    where told.kind = 'chain_deposit' and told.terms->>'chain' = transfers.terms->>'chain'
      and told.terms->>'address' = transfers.terms->>'address' and told.terms->>'txHash' = transfers.terms->>'txHash'
      and said.kind = '${SEEN}'),
  created_at))`;

const unitsOf = (until: Date | undefined) =>
  raw(
    `coalesce(sum((word->>'units')::numeric) filter (
       where word->>'state' = 'final'${until ? ` and ${KNOWN_AT} <= ?` : ''}), 0)::text as units`,
    until ? [until] : [],
  );
