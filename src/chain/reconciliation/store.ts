import { raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { decimal, recordTable, safeInteger } from '../../kernel/db/record-table';
import type { ChainReading } from './record';

const readings = recordTable<ChainReading>('chain_readings', {
  blockNumber: safeInteger,
  reported: decimal,
  booked: decimal,
  unbooked: decimal,
});
const comparisons = () => table('chain_comparisons');

/** @returns the start of the first comparison since the last completed one */
export async function beginComparison(sql: Sql, chain: string, at: Date): Promise<Date> {
  const begun = comparisons().insert({ chain, since: at });
  const [row] = await sql.run<{ since: Date }>(
    begun
      .onConflict('chain')
      .merge({ since: raw('chain_comparisons.since') }) // Changes nothing, but makes Postgres return the existing row.
      .returning('since'),
  );
  return row?.since ?? at;
}

export const endComparison = (sql: Sql, chain: string): Promise<unknown> =>
  sql.run(comparisons().where({ chain }).delete());

/** A sequence of readings: one place and one asset of a chain. */
export type Series = Pick<ChainReading, 'chain' | 'place' | 'asset'>;

const columnsOfAll = (all: readonly Series[]) => [
  all.map(({ chain }) => chain),
  all.map(({ place }) => place),
  all.map(({ asset }) => asset),
];
const GIVEN = 'unnest($1::text[], $2::text[], $3::text[]) as given(chain, place, asset)';
const OF_GIVEN = 'chain = given.chain and place = given.place and asset = given.asset';

/** The last reading of each series. Raw: reads one index row for each. */
export async function lastOf(sql: Sql, all: readonly Series[]): Promise<ChainReading[]> {
  const rows = await sql.query(
    `select r.chain, r.place, r.asset, r.read_at as "readAt", r.block_number as "blockNumber", r.differs_since as "differsSince",
            r.reported::text, r.booked::text, r.unbooked::text
       from ${GIVEN}
      cross join lateral (select * from chain_readings where ${OF_GIVEN} order by read_at desc limit 1) r`,
    columnsOfAll(all),
  );
  return rows.map(readings.record);
}

/** Stores readings. Skips a reading whose time is stored already. */
export async function insertReadings(tx: Sql, found: readonly ChainReading[]): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map(readings.row);
  await tx.run(readings().insert(rows).onConflict(['chain', 'place', 'asset', 'read_at']).ignore());
}

/**
 * Deletes readings older than `before`, except the last of each series. It tells whether chain and books differ, even
 * after a long outage of the nodes. Raw: names the leading columns of the index.
 */
export async function deleteReadings(sql: Sql, all: readonly Series[], before: Date): Promise<void> {
  await sql.query(
    `delete from chain_readings r using ${GIVEN}
      where r.chain = given.chain and r.place = given.place and r.asset = given.asset and r.read_at < $4
        and r.read_at < (select max(read_at) from chain_readings where ${OF_GIVEN})`,
    [...columnsOfAll(all), before],
  );
}
