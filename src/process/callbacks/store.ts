import type { Sql } from '../../kernel/db/database';

export interface NewCallback {
  id: string;
  party: string;
  externalId: string;
  /** Sealed. */
  body: Buffer;
  headers: Record<string, string>;
}

/** @returns false when it came before */
export async function insertVerified(tx: Sql, given: NewCallback): Promise<boolean> {
  const rows = await tx.query(
    `insert into provider_callbacks (id, party, external_id, body, headers, verified)
     values ($1, $2, $3, $4, $5, true) on conflict (party, external_id) where verified do nothing returning id`,
    [given.id, given.party, given.externalId, given.body, JSON.stringify(given.headers)],
  );
  return rows.length === 1;
}

/** So many of a party's callbacks could not be verified; `lastHash` is of the last one's bytes. One row an hour. */
export async function countForged(sql: Sql, party: string, count: number, lastHash: Buffer): Promise<void> {
  await sql.query(
    `insert into forged_callbacks (party, hour, count, last_hash, last_at)
     values ($1, date_trunc('hour', clock_timestamp(), 'UTC'), $2, $3, date_trunc('milliseconds', clock_timestamp()))
     on conflict (party, hour) do update
        set count = forged_callbacks.count + excluded.count, last_hash = excluded.last_hash, last_at = excluded.last_at`,
    [party, count, lastHash],
  );
}

const KEPT = `interval '30 days'`;

/** Deletes so many at most of those that are older than thirty days. @returns how many */
export async function deleteOld(sql: Sql, most: number): Promise<number> {
  const [row] = await sql.query<{ count: string }>(
    `with gone as (
       delete from provider_callbacks where id in (
         select id from provider_callbacks where received_at < clock_timestamp() - ${KEPT} order by received_at limit $1)
       returning 1)
     select count(*) from gone`,
    [most],
  );
  return Number(row?.count ?? 0);
}

/** The same of the counts of forged ones: a handful of rows an hour. @returns how many */
export async function deleteOldCounts(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: string }>(
    `with gone as (delete from forged_callbacks where hour < clock_timestamp() - ${KEPT} returning 1)
     select count(*) from gone`,
  );
  return Number(row?.count ?? 0);
}

export async function noteHandled(tx: Sql, id: string, outcome: string): Promise<void> {
  await tx.query(
    `update provider_callbacks set outcome = $2, handled_at = date_trunc('milliseconds', clock_timestamp())
      where id = $1`,
    [id, outcome],
  );
}
