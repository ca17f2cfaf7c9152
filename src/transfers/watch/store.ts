import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { MoneyParty } from '../../kernel/outbox/queues';

const places = () => table('party_places');

/** Where the reading of a party's list had come to at that time, or the beginning. */
export async function placeBefore(sql: Sql, party: MoneyParty, at: Date): Promise<string | null> {
  const [row] = await sql.run<{ place: string }>(
    places().select('place').where({ party }).where('readAt', '<=', at).orderBy('readAt', 'desc').limit(1),
  );
  return row?.place ?? null;
}

/** Notes a place, and forgets those that no reading goes back to: all but one older than `keepFrom`. */
export async function notePlace(
  sql: Sql,
  given: { party: MoneyParty; place: string; readAt: Date },
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
