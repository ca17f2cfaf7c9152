import { NOW, raw, table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';

export interface NewCallback {
  id: string;
  party: string;
  externalId: string;
  /** Sealed. */
  body: Buffer;
  headers: Record<string, string>;
}

/** A stored callback, without its body. */
export interface KeptCallback {
  party: string;
  /** The party's id of the message. */
  externalId: string;
  receivedAt: Date;
  /** Null until it has been handled, as `outcome` is. */
  handledAt: Date | null;
  outcome: string | null;
}

const callbacks = recordTable<KeptCallback>('provider_callbacks', {}, [
  'party',
  'externalId',
  'receivedAt',
  'handledAt',
  'outcome',
]);
const forged = () => table('forged_callbacks');

/** @returns false for a repeated message */
export async function insertVerified(tx: Sql, { headers, ...given }: NewCallback): Promise<boolean> {
  const rows = await tx.run(
    callbacks()
      .insert({ ...given, headers: JSON.stringify(headers) })
      .onConflict(['party', 'external_id'])
      .ignore()
      .returning('id'),
  );
  return rows.length === 1;
}

export const findCallback = (sql: Sql, id: string) => callbacks.one(sql, callbacks().where({ id }));

/**
 * Adds to a party's count of unverified callbacks, in one row for each hour. `lastHash` is the hash of the last one.
 */
export async function countForged(sql: Sql, party: string, count: number, lastHash: Buffer): Promise<void> {
  const hour = raw(`date_trunc('hour', product_now(), 'UTC')`);
  await sql.run(
    forged()
      .insert({ party, hour, count, lastHash, lastAt: NOW })
      .onConflict(['party', 'hour'])
      .merge({
        count: raw('forged_callbacks.count + excluded.count'),
        lastHash: raw('excluded.last_hash'),
        lastAt: raw('excluded.last_at'),
      }),
  );
}

const THIRTY_DAYS_AGO = raw(`product_now() - interval '30 days'`);

/** Deletes at most `limit` callbacks older than thirty days. @returns the number of deleted rows */
export async function deleteOld(sql: Sql, limit: number): Promise<number> {
  const old = callbacks()
    .select('id')
    .where('receivedAt', '<', THIRTY_DAYS_AGO)
    .orderBy('receivedAt')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return (await sql.run(callbacks().whereIn('id', old).delete('id'))).length;
}

/** Deletes hourly counts of forged callbacks older than thirty days. @returns the number of deleted rows */
export async function deleteOldCounts(sql: Sql): Promise<number> {
  return (await sql.run(forged().where('hour', '<', THIRTY_DAYS_AGO).delete('hour'))).length;
}

export function noteHandled(tx: Tx, id: string, outcome: string): void {
  tx.defer(callbacks().where({ id }).update({ outcome, handledAt: NOW }));
}

/** The number of verified callbacks in each hour of `[from, to)`, by party. The index `provider_callbacks_by_age` serves it. */
export const countByHour = (
  sql: Sql,
  { from, to }: { from: Date; to: Date },
): Promise<{ at: Date; party: string; count: number }[]> =>
  sql.query(
    `select date_trunc('hour', received_at, 'UTC') as at, party, count(*)::int as count from provider_callbacks
      where received_at >= $1 and received_at < $2 group by 1, 2 order by 1, 2`,
    [from, to],
  );

/** The number of callbacks without a valid signature in each hour of `[from, to)`, by party. */
export const forgedByHour = (
  sql: Sql,
  { from, to }: { from: Date; to: Date },
): Promise<{ at: Date; party: string; count: string }[]> =>
  sql.query(
    `select hour as at, party, count::text as count from forged_callbacks where hour >= $1 and hour < $2 order by 1, 2`,
    [from, to],
  );
