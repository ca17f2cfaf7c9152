import type { Sql, Tx } from '../../../kernel/db/database';

/** SQL of the shards' leases. Raw, because each statement locks rows in the order of shards and decides by them. */

/** A shard with the fencing number under which it is delivered. */
export interface FencedShard {
  shard: number;
  fence: number;
}

export interface Lease extends FencedShard {
  /** The asking process holds it now. */
  isOurs: boolean;
  /** It is held without a workflow. */
  standsIn: boolean;
  /** A workflow in another process has asked for it within the last five seconds. */
  isWanted: boolean;
}

/** Shards with their numbers, as the first two parameters of a statement. */
const FENCED = 'unnest($1::smallint[], $2::int[]) as f(shard, fence)';

/** The values of {@link FENCED} and {@link HELD_SHARDS}. */
export const fencedValues = (leases: readonly FencedShard[]) => [
  leases.map(({ shard }) => shard),
  leases.map(({ fence }) => fence),
];

/**
 * A CTE `held` with the shards whose number is still the present one. It shares the lock of their leases, so that no
 * other process takes one before the statement has ended. Parameters `$1` and `$2` are those of {@link fencedValues}.
 */
export const HELD_SHARDS = `held as materialized (
  select s.shard from webhook_shards s join ${FENCED} using (shard, fence) order by s.shard for share of s)`;

/**
 * Renews the leases of a process, and takes with the next number: free and old ones that are wanted, and, if it stands
 * in, all old ones. Asks the holder for wanted ones that it cannot take.
 * @returns the leases of the process and those that it wants
 */
export function renewLeases(
  sql: Sql,
  given: { holder: string; wanted: number[]; standsIn: boolean; leaseMs: number },
): Promise<Lease[]> {
  return sql.prepared<Lease>(
    'webhooks-renew-leases',
    `with looked as materialized (
       select shard, holder is not distinct from $1 as kept, shard = any ($2::smallint[]) as wanted,
              holder is null or holder = $1 or renewed_at < clock_timestamp() - $4 * interval '1 millisecond' as ours
         from webhook_shards
        where holder = $1 or shard = any ($2::smallint[])
           or ($3 and renewed_at < clock_timestamp() - $4 * interval '1 millisecond')
        order by shard for update)
     update webhook_shards s
        set holder = case when ours then $1 else holder end,
            fence = fence + (ours and not kept)::int,
            renewed_at = case when ours then clock_timestamp() else renewed_at end,
            stands_in = case when ours then not wanted else stands_in end,
            wanted_at = case when not ours then clock_timestamp() when not kept then null else wanted_at end
       from looked where looked.shard = s.shard
     returning s.shard, s.fence, looked.ours as "isOurs", s.stands_in as "standsIn",
               coalesce(s.wanted_at > clock_timestamp() - interval '5 seconds', false) as "isWanted"`,
    [given.holder, given.wanted, given.standsIn, given.leaseMs],
  );
}

/** Gives leases back. They count as renewed now, so that a workflow has time to take them. */
export async function giveLeases(sql: Sql, leases: FencedShard[]): Promise<void> {
  await sql.query(
    `with given as materialized (
       select s.shard from webhook_shards s join ${FENCED} using (shard, fence) order by s.shard for update of s)
     update webhook_shards s set holder = null, stands_in = false, renewed_at = clock_timestamp()
       from given where given.shard = s.shard`,
    fencedValues(leases),
  );
}

/** The shards of these whose number is still the present one. Locks their leases until the transaction ends. */
export async function heldShards(tx: Tx, leases: readonly FencedShard[]): Promise<Set<number>> {
  const rows = await tx.query<{ shard: number }>(
    `with ${HELD_SHARDS} select shard from held`,
    fencedValues(leases),
  );
  return new Set(rows.map(({ shard }) => shard));
}
