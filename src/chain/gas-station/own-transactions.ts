import type { Sql } from '../../kernel/db/database';
import { IS_OPEN } from './operations/store';

/** What an operation has in a transaction: its own transfers, and its share of the fee. */
export interface OwnPart {
  /** Whose transfers. */
  from: string;
  /** Null: the transaction is its, with what is nobody else's of it. */
  batchOf: string | null;
  isBooked: boolean;
}

/** A transaction of ours: one that is under way, or was booked just now, as a whole or for some of its operations. */
export interface OwnTransaction {
  hash: string;
  /** One an operation. */
  parts: OwnPart[];
}

/**
 * Raw: each part by a look-up of its index. An operation that follows its batch may know no hash yet, while the nonce was settled by
 * another one; what a person has executed in vain has cost gas that was booked, and no operation is named after it.
 */
const OWN = `
  with own(hash, whole, is_reverted) as (
    select hash, operation_id, false from chain_nonces
     where chain = $1 and settled_at is null and released_at is null and hash is not null
    union
    select tx_hash, coalesce(batch_of, id), false from gas_operations
     where chain = $1 and executed_at is null and status = 'confirming' and tx_hash is not null
    union
    select n.hash, n.operation_id, false
      from gas_operations o join chain_nonces n on n.operation_id = coalesce(o.batch_of, o.id)
     where o.chain = $1 and o.executed_at is null and o.${IS_OPEN} and n.raw is not null and n.released_at is null
    union
    select tx_hash, coalesce(batch_of, id), false from gas_operations
     where chain = $1 and executed_at > $2 and tx_hash is not null
    union
    select hash, operation_id, true from chain_nonces
     where chain = $1 and raw is null and hash is not null and settled_at > $2)
  select own.hash, o.from_address as "from", o.batch_of as "batchOf",
         own.is_reverted or (o.executed_at is not null and o.tx_hash = own.hash) as "isBooked"
    from own cross join lateral (
      select * from gas_operations where id = own.whole
      union all
      select * from gas_operations where batch_of = own.whole) o
   order by own.hash, o.id`;

/** The transactions of a chain's operations that may be in a block and are not booked, and those that were booked since then. */
export async function ownTransactions(sql: Sql, chain: string, since: Date): Promise<OwnTransaction[]> {
  const found = new Map<string, OwnPart[]>();
  for (const { hash, ...part } of await sql.query<OwnPart & { hash: string }>(OWN, [chain, since]))
    found.set(hash, [...(found.get(hash) ?? []), part]);
  return [...found].map(([hash, parts]) => ({ hash, parts }));
}
