import type { Sql } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import { type Place, placeOf } from './places';

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
  const rows = await sql.query<{ asset: string; amount: string }>(BESIDE, [chain, readTo.number]);
  return { readTo, pool: new Map(rows.map(({ asset, amount }) => [asset, new Decimal(amount)])) };
}

/** A word's units count where it says that the deposit is in a block; before the first word, it is where it was found. */
const ON_CHAIN = `coalesce(t.word->>'state', 'seen') in ('seen', 'final')
  and coalesce(t.word->>'blockNumber', t.terms->>'blockNumber')::bigint <= $2`;

/**
 * Raw: only those deposits are summed of which the two may differ, each kind by an index of its own. The books have what stands in the pool,
 * below zero.
 */
const BESIDE = `
  with some as (
    select id from transfers where kind = 'chain_deposit' and status = 'confirming' and terms->>'chain' = $1
    union select id from transfers where kind = 'chain_deposit' and terms->>'chain' = $1 and word->>'state' in ('seen', 'absent')
    union select id from transfers where kind = 'chain_deposit' and terms->>'chain' = $1
      and (coalesce(word->>'blockNumber', terms->>'blockNumber'))::bigint > $2
    union select id from transfers where kind = 'chain_deposit' and terms->>'chain' = $1
      and (terms->>'dust' <> '0' or word->>'units' <> terms->>'units')
  )
  select t.terms->>'asset' as asset,
         sum(case when ${ON_CHAIN} then coalesce(t.word->>'units', t.terms->>'units')::numeric * power(10::numeric, -(t.terms->>'decimals')::int)
                  else 0 end + b.amount)::text as amount
    from some join transfers t using (id)
   cross join lateral (select coalesce(sum(e.amount), 0) as amount from transfer_entries e
                        where e.transfer_id = t.id and e.component = 'pool@' || $1) b
   group by 1`;
