import { raw, table } from '../kernel/db/build';
import type { Sql } from '../kernel/db/database';
import { recordTable } from '../kernel/db/record-table';
import type { WatchedParty } from '../kernel/outbox/queues';

const places = () => table('party_places');

/**
 * Where a reading begins: the place read at least `overlapMs` before the last noted one. Null: the beginning of the
 * list.
 */
export async function placeBefore(sql: Sql, party: WatchedParty, overlapMs: number): Promise<string | null> {
  const last = places().max('readAt').where({ party });
  const [row] = await sql.run<{ place: string }>(
    places()
      .select('place')
      .where({ party })
      .whereRaw(`read_at <= (?) - ? * interval '1 millisecond'`, [last, overlapMs])
      .orderBy('readAt', 'desc')
      .limit(1),
  );
  return row?.place ?? null;
}

/** Notes a place, and deletes places older than `keepFrom` except the newest of them. */
export async function notePlace(
  sql: Sql,
  given: { party: WatchedParty; place: string; readAt: Date },
  keepFrom: Date,
): Promise<void> {
  const { party } = given;
  await sql.run(places().insert(given).onConflict(['party', 'read_at']).merge(['place']));
  await sql.run(
    places()
      .where({ party })
      .where('readAt', '<', places().max('readAt').where({ party }).where('readAt', '<=', keepFrom))
      .delete(),
  );
}

/** A change that was read, and the place where its page began. */
export interface Anchor {
  place: string | null;
  changeId: string;
  readAt: Date;
}

const anchors = recordTable<Anchor>('list_anchors', {}, ['place', 'changeId', 'readAt']);

export const anchorOf = (sql: Sql, party: WatchedParty): Promise<Anchor | undefined> =>
  anchors.one(sql, anchors().where({ party }));

export async function noteAnchor(sql: Sql, party: WatchedParty, anchor: Anchor): Promise<void> {
  await sql.run(
    anchors()
      .insert({ party, ...anchor })
      .onConflict('party')
      .merge(['place', 'change_id', 'read_at']),
  );
}

/** Forgets all places, so that the list is read from its beginning. */
export async function forgetPlaces(sql: Sql, party: WatchedParty): Promise<void> {
  await sql.run(places().where({ party }).delete());
  await sql.run(anchors().where({ party }).delete());
}

/**
 * Forgets the places of all lists that were read since a moment, so that the lists are read again from there.
 * @param since by the machine's time
 */
export async function forgetPlacesSince(sql: Sql, since: Date): Promise<void> {
  await sql.run(
    places()
      .where('readAt', '>', raw('product_now(?::timestamptz)', [since]))
      .delete(),
  );
}

const readings = () => table('list_readings');

export async function noteListRead(sql: Sql, party: WatchedParty, at: Date): Promise<void> {
  await sql.run(readings().insert({ party, readAt: at }).onConflict('party').merge(['readAt']));
}

/** When each party's list was last read. */
export async function listsReadAt(sql: Sql): Promise<ReadonlyMap<string, Date>> {
  const rows = await sql.run<{ party: string; readAt: Date }>(readings().select('party', 'readAt'));
  return new Map(rows.map(({ party, readAt }) => [party, readAt]));
}

const unreadable = () => table('unreadable_lists');

/** A party's list, or the blocks of a chain. */
type Followed = WatchedParty | `chain:${string}`;

/** @returns since when it cannot be read */
export async function noteUnreadable(sql: Sql, party: Followed, at: Date): Promise<Date> {
  const [row] = await sql.run<{ since: Date }>(
    unreadable()
      .insert({ party, since: at })
      .onConflict('party')
      .merge(['party']) // changes nothing, but makes Postgres return the existing row
      .returning('since'),
  );
  return row?.since ?? at;
}

export async function forgetUnreadable(sql: Sql, party: Followed): Promise<void> {
  await sql.run(unreadable().where({ party }).delete());
}

/** Lists that cannot be read, and since when. */
export async function unreadableSince(sql: Sql): Promise<ReadonlyMap<string, Date>> {
  const rows = await sql.run<{ party: string; since: Date }>(unreadable().select('party', 'since'));
  return new Map(rows.map(({ party, since }) => [party, since]));
}
