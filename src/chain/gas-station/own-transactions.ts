import type { Sql } from '../../kernel/db/database';
import type { Mined } from '../../parties/chain/agreement';
import type { Execution } from './operations/books';
import type { GasOperation } from './operations/record';
import { feeOf, isReverted, judge, judgeOwn } from './operations/rules';
import { IS_OPEN } from './operations/store';

/** An operation's part of a transaction: its own transfer and its share of the fee. */
export interface OwnPart
  extends Pick<GasOperation, 'fromAddress' | 'stationAddress' | 'toAddress' | 'token' | 'units' | 'batchOf'> {
  isBooked: boolean;
  /** Signed here. False: named by a person, and possibly unchecked. */
  isSigned: boolean;
}

/** A transaction of ours that is not booked for all its operations. */
export interface OwnTransaction {
  hash: string;
  /** One part for each operation. */
  parts: OwnPart[];
}

/**
 * Raw: each part of the union uses its own index. A member of a batch may know no hash yet although another member has
 * settled the nonce.
 */
const OWN = `
  with known(hash, whole, is_signed) as (
    select hash, operation_id, true from chain_nonces
     where chain = $1 and settled_at is null and released_at is null and hash is not null
    union all
    select tx_hash, coalesce(batch_of, id), false from gas_operations
     where chain = $1 and executed_at is null and status = 'confirming' and tx_hash is not null
    union all
    select n.hash, n.operation_id, true
      from gas_operations o join chain_nonces n on n.operation_id = coalesce(o.batch_of, o.id)
     where o.chain = $1 and o.executed_at is null and o.${IS_OPEN} and n.raw is not null and n.released_at is null),
  own as (select hash, whole, bool_or(is_signed) as is_signed from known group by hash, whole)
  select own.hash, o.from_address as "fromAddress", o.station_address as "stationAddress", o.to_address as "toAddress", o.token,
         o.units::text, o.batch_of as "batchOf", own.is_signed as "isSigned",
         o.executed_at is not null and o.tx_hash = own.hash as "isBooked"
    from own cross join lateral (
      select * from gas_operations where id = own.whole
      union all
      select * from gas_operations where batch_of = own.whole) o
   order by own.hash, o.id`;

type Row = Omit<OwnPart, 'units'> & { hash: string; units: string };

/** Lists transactions of a chain's operations that may be mined and are not booked. */
export async function ownTransactions(sql: Sql, chain: string): Promise<OwnTransaction[]> {
  const found = new Map<string, OwnPart[]>();
  for (const { hash, units, ...part } of await sql.query<Row>(OWN, [chain]))
    found.set(hash, [...(found.get(hash) ?? []), { ...part, units: BigInt(units) }]);
  return [...found].map(([hash, parts]) => ({ hash, parts }));
}

/**
 * The effects that the books will get from a transaction for one of its operations.
 * @param members operations that share it beside the owner
 * @returns undefined when a person has named a transaction that will be refused as another one
 */
export function executionOf(part: OwnPart, word: Mined, members: number): Execution | undefined {
  const verdict = (part.isSigned ? judgeOwn : judge)(part, word);
  if (verdict.is === 'wrong' && !part.isSigned && !isReverted(verdict)) return undefined;
  const { moved, lost } = verdict.is === 'right' ? verdict : { moved: 0n, lost: 0n };
  return { moved, lost, fee: feeOf(part, word.fee, members) };
}
