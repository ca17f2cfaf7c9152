import { type Place, placeOf } from '../../chain/holdings/places';
import { fromUnits } from '../../chain/networks/rules';
import type { Sql } from '../../kernel/db/database';
import { type Decimal, ZERO } from '../../kernel/money/money';

/**
 * Of a chain's deposits, what its books do not say: for whoever compares the two.
 * @returns `readTo`: the last block that was read for deposits. `pool`, by symbol: what by that block has come to the pool's addresses
 *   and is not booked – it is not final yet, or the ledger has no decimals for it – less what is booked and is not there: in a later
 *   block, or in none any more and not taken back yet
 */
export async function depositsBeside(
  sql: Sql,
  chain: string,
): Promise<{ readTo: Place | undefined; pool: ReadonlyMap<string, Decimal> }> {
  const readTo = await placeOf(sql, chain);
  if (!readTo) return { readTo, pool: new Map() };
  const pool = new Map<string, Decimal>();
  for (const { asset, decimals, units, booked } of await sql.query<Row>(BESIDE, [chain, readTo.number])) {
    const amount = fromUnits(BigInt(units), decimals).plus(booked);
    pool.set(asset, amount.plus(pool.get(asset) ?? ZERO));
  }
  return { readTo, pool };
}

interface Row {
  asset: string;
  decimals: number;
  /** On the chain. */
  units: string;
  /** On the account of the pool, where what we have is below zero. */
  booked: string;
}

/** A word's units count where it says that the deposit is in a block; before the first word, it is where it was found. */
const ON_CHAIN = `coalesce(t.word->>'state', 'seen') in ('seen', 'final')
  and coalesce(t.word->>'blockNumber', t.terms->>'blockNumber')::bigint <= $2`;

/**
 * Raw: only those deposits are summed of which the two may differ, each kind by an index of its own.
 */
const BESIDE = `
  with concerned as (
    select id from transfers where kind = 'chain_deposit' and status = 'confirming' and terms->>'chain' = $1
    union select id from transfers where kind = 'chain_deposit' and terms->>'chain' = $1 and word->>'state' in ('seen', 'absent')
    union select id from transfers where kind = 'chain_deposit' and terms->>'chain' = $1
      and (coalesce(word->>'blockNumber', terms->>'blockNumber'))::bigint > $2
    union select id from transfers where kind = 'chain_deposit' and terms->>'chain' = $1
      and (terms->>'dust' <> '0' or word->>'units' <> terms->>'units')
  )
  select t.terms->>'asset' as asset, (t.terms->>'decimals')::int as decimals, sum(b.amount)::text as booked,
         coalesce(sum(coalesce(t.word->>'units', t.terms->>'units')::numeric) filter (where ${ON_CHAIN}), 0)::text as units
    from concerned join transfers t using (id)
   cross join lateral (select coalesce(sum(e.amount), 0) as amount from transfer_entries e
                        where e.transfer_id = t.id and e.component = 'pool@' || $1) b
   group by 1, 2`;
