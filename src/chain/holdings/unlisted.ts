import { filtered } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { recordTable, safeInteger } from '../../kernel/db/record-table';
import type { WaitingPlace } from '../../kernel/db/waiting';
import type { ChainTransfer } from '../../parties/chain/port';

/** A transfer to us of a token that no network lists. */
export interface UnlistedToken {
  chain: string;
  txHash: string;
  ordinal: number;
  token: string;
  address: string;
  /** Integer units of the token, because an unknown token's decimals cannot be trusted. */
  units: string;
  blockNumber: number;
  /** Further transfers of the same transaction that are not stored. */
  more: number;
  seenAt: Date;
}

const unlisted = recordTable<UnlistedToken>('unlisted_tokens', { blockNumber: safeInteger }, [
  ...['chain', 'txHash', 'ordinal', 'token', 'address', 'units', 'blockNumber', 'more', 'seenAt'],
]);

/** Most stored transfers of a transaction, because a spam token may send a thousand in one. */
const KEPT_UNLISTED = 20;

// Raw: takes any number of rows in one parameter.
const KEEP_UNLISTED = `
  with booked as (
    delete from unlisted_tokens u using unnest($4::text[], $5::int[]) as deposit(tx_hash, ordinal)
     where u.chain = $1 and u.tx_hash = deposit.tx_hash and u.ordinal = deposit.ordinal)
  insert into unlisted_tokens (chain, tx_hash, ordinal, token, address, units, more, block_number, block_hash, seen_at)
  select $1, r.tx_hash, r.ordinal, r.token, r.address, r.units, r.more, r.block_number, r.block_hash, $2
    from json_to_recordset($3::json) as r(tx_hash text, ordinal int, token text, address text, units numeric, more int,
           block_number bigint, block_hash text)
  on conflict (chain, tx_hash, ordinal) do update set block_number = excluded.block_number, block_hash = excluded.block_hash`;

/**
 * Stores some transfers of each transaction. The last one has the count of those left out.
 * @param booked transfers that are deposits now, because the network lists their token since
 */
export async function keepUnlisted(
  tx: Tx,
  chain: string,
  found: readonly ChainTransfer[],
  at: Date,
  booked: readonly Pick<ChainTransfer, 'txHash' | 'ordinal'>[] = [],
): Promise<void> {
  const byHash = new Map<string, ChainTransfer[]>();
  for (const transfer of found) {
    const ofOne = byHash.get(transfer.txHash);
    if (ofOne) ofOne.push(transfer);
    else byHash.set(transfer.txHash, [transfer]);
  }
  const rows = [...byHash.values()].flatMap((ofOne) =>
    ofOne.slice(0, KEPT_UNLISTED).map(({ txHash, ordinal, token, to, units, block }, place) => ({
      tx_hash: txHash,
      ordinal,
      token,
      address: to,
      units: units.toString(),
      more: place === KEPT_UNLISTED - 1 ? ofOne.length - KEPT_UNLISTED : 0,
      block_number: block.number,
      block_hash: block.hash,
    })),
  );
  if (rows.length + booked.length === 0) return;
  const deposits = [booked.map(({ txHash }) => txHash), booked.map(({ ordinal }) => ordinal)];
  await tx.query(KEEP_UNLISTED, [chain, at, JSON.stringify(rows), ...deposits]);
}

/** The key of a stored transfer in the order of {@link listUnlisted}. */
export const unlistedKey = ({ chain, txHash, ordinal }: UnlistedToken): string =>
  `${chain}:${txHash}:${ordinal}`;

/** Lists unlisted tokens, newest first. The index `unlisted_tokens_newest` serves it. */
export function listUnlisted(
  sql: Sql,
  { chain, after, limit }: { chain?: string | undefined; after?: WaitingPlace | undefined; limit: number },
): Promise<UnlistedToken[]> {
  const query = unlisted().modify(filtered, { chain }).limit(limit);
  if (after) {
    const [ofChain, txHash, ordinal] = after.id.split(':');
    void query
      .where('seenAt', '<=', after.since)
      .whereRaw('(seen_at < ? or (chain, tx_hash, ordinal) > (?, ?, ?))', [
        ...[after.since, ofChain ?? '', txHash ?? '', Number(ordinal)],
      ]);
  }
  const order = [{ column: 'seenAt', order: 'desc' as const }, 'chain', 'txHash', 'ordinal'];
  return unlisted.all(sql, query.orderBy(order));
}

/** Units of a token at the addresses of a place, which are on the chain and not in the books. */
export interface UnlistedSum {
  token: string;
  place: 'pool' | 'treasury';
  units: string;
}

// Raw: sums two tables by place. Indexes: unlisted_tokens_of_token and token_recoveries_of_token.
const UNLISTED_SUMS = `
  select token, place, sum(units)::text as units from (
    select u.token, 'pool' as place, u.units
      from unlisted_tokens u join wallets w on w.chain = u.chain and w.address = u.address and w.purpose = 'pool'
     where u.chain = $1 and u.token = any ($2::text[]) and u.block_number <= $3
    union all
    select r.token, moved.place, moved.units
      from token_recoveries r join gas_operations o on o.id = r.operation_id
     cross join lateral (values ('pool', -(o.moved_units + o.lost_units)), ('treasury', o.moved_units)) as moved(place, units)
     where r.chain = $1 and r.token = any ($2::text[]) and o.executed_at is not null and r.block_number <= $3) as beside
   group by token, place`;

/**
 * Sums the transfers of tokens from before their listing, less the units that recoveries have moved. No deposit books it, until
 * its transaction is claimed.
 * @param tokens contracts that the network lists now
 * @param upTo the last block that counts
 */
export const unlistedSums = (
  sql: Sql,
  chain: string,
  tokens: readonly string[],
  upTo: number,
): Promise<UnlistedSum[]> =>
  tokens.length === 0 ? Promise.resolve([]) : sql.query<UnlistedSum>(UNLISTED_SUMS, [chain, tokens, upTo]);
