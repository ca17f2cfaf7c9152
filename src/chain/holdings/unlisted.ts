import { filtered, table } from '../../kernel/db/build';
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
  /** Further transfers of the same transaction, which lists do not show. */
  more: number;
  seenAt: Date;
}

const unlisted = recordTable<UnlistedToken>('unlisted_tokens', { blockNumber: safeInteger }, [
  ...['chain', 'txHash', 'ordinal', 'token', 'address', 'units', 'blockNumber', 'more', 'seenAt'],
]);

/** Most transfers of a transaction that lists show, because a spam token may send a thousand in one. */
const KEPT_UNLISTED = 20;

// Raw: takes any number of rows in one parameter.
const KEEP_UNLISTED = `
  with booked as (
    delete from unlisted_tokens u using unnest($4::text[], $5::int[]) as deposit(tx_hash, ordinal)
     where u.chain = $1 and u.tx_hash = deposit.tx_hash and u.ordinal = deposit.ordinal),
  booked_rests as (
    update unlisted_rests r set transfers = r.transfers - deposits.ordinals
      from (select tx_hash, array_agg(ordinal::text) as ordinals from unnest($4::text[], $5::int[]) as deposit(tx_hash, ordinal)
             group by tx_hash) as deposits
     where r.chain = $1 and r.tx_hash = deposits.tx_hash and r.transfers ?| deposits.ordinals)
  insert into unlisted_tokens (chain, tx_hash, ordinal, token, address, units, more, block_number, block_hash, seen_at)
  select $1, r.tx_hash, r.ordinal, r.token, r.address, r.units, r.more, r.block_number, r.block_hash, $2
    from json_to_recordset($3::json) as r(tx_hash text, ordinal int, token text, address text, units numeric, more int,
           block_number bigint, block_hash text)
  on conflict (chain, tx_hash, ordinal) do update set block_number = excluded.block_number, block_hash = excluded.block_hash`;

// Raw: as above. A transfer has one ordinal in its transaction, so a second reading adds nothing.
const KEEP_RESTS = `
  insert into unlisted_rests (chain, tx_hash, token, block_number, transfers)
  select $1, r.tx_hash, r.token, max(r.block_number), jsonb_object_agg(r.ordinal, jsonb_build_array(r.address, r.units))
    from json_to_recordset($2::json) as r(tx_hash text, ordinal int, token text, address text, units numeric, block_number bigint)
   group by r.tx_hash, r.token
  on conflict (chain, tx_hash, token)
  do update set block_number = excluded.block_number, transfers = unlisted_rests.transfers || excluded.transfers`;

/**
 * Stores transfers. Lists show some of each transaction, and the last one has the count of the others.
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
  const all = [...byHash.values()];
  const rows = all.flatMap((ofOne) =>
    ofOne.slice(0, KEPT_UNLISTED).map((transfer, place) => ({
      ...rowOf(transfer),
      more: place === KEPT_UNLISTED - 1 ? ofOne.length - KEPT_UNLISTED : 0,
      block_hash: transfer.block.hash,
    })),
  );
  if (rows.length + booked.length === 0) return;
  const deposits = [booked.map(({ txHash }) => txHash), booked.map(({ ordinal }) => ordinal)];
  await tx.query(KEEP_UNLISTED, [chain, at, JSON.stringify(rows), ...deposits]);
  const rests = all.flatMap((ofOne) => ofOne.slice(KEPT_UNLISTED).map(rowOf));
  if (rests.length > 0) await tx.query(KEEP_RESTS, [chain, JSON.stringify(rests)]);
}

const rowOf = ({ txHash, ordinal, token, to, units, block }: ChainTransfer) => ({
  tx_hash: txHash,
  ordinal,
  token,
  address: to,
  units: units.toString(),
  block_number: block.number,
});

/**
 * Forgets the transfers of blocks that a reorganisation replaced. The watcher reads the new blocks again.
 * @param above the last block that stays
 */
export async function forgetUnlisted(tx: Tx, chain: string, above: number): Promise<void> {
  for (const rows of [unlisted(), table('unlisted_rests')])
    await tx.run(rows.where({ chain }).where('blockNumber', '>', above).delete());
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

// Raw: sums three tables by place. Indexes: unlisted_tokens_of_token, unlisted_rests_of_token and token_recoveries_of_token. Another
// reading of a transaction may have shown a transfer that was among its further ones.
const UNLISTED_SUMS = `
  select token, place, sum(units)::text as units from (
    select u.token, 'pool' as place, u.units
      from unlisted_tokens u join wallets w on w.chain = u.chain and w.address = u.address and w.purpose = 'pool'
     where u.chain = $1 and u.token = any ($2::text[]) and u.block_number <= $3
    union all
    select rest.token, 'pool', (each.transfer ->> 1)::numeric
      from unlisted_rests rest cross join lateral jsonb_each(rest.transfers) as each(ordinal, transfer)
      join wallets w on w.chain = rest.chain and w.address = each.transfer ->> 0 and w.purpose = 'pool'
     where rest.chain = $1 and rest.token = any ($2::text[]) and rest.block_number <= $3
       and not exists (select from unlisted_tokens shown
                        where shown.chain = rest.chain and shown.tx_hash = rest.tx_hash and shown.ordinal = each.ordinal::int)
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
