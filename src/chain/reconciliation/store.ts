import { raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import type { ChainReading } from './record';

const readings = () => table('chain_readings');
const comparisons = () => table('chain_comparisons');

/** @returns since when comparisons of that chain have begun and none has ended */
export async function beginComparison(sql: Sql, chain: string, at: Date): Promise<Date> {
  const begun = comparisons().insert({ chain, since: at });
  const [row] = await sql.run<{ since: Date }>(
    begun
      .onConflict('chain')
      .merge({ since: raw('chain_comparisons.since') }) // changes nothing: it makes the one that exists come back
      .returning('since'),
  );
  return row?.since ?? at;
}

export const endComparison = (sql: Sql, chain: string): Promise<unknown> =>
  sql.run(comparisons().where({ chain }).delete());

type Amount = 'reported' | 'booked' | 'unbooked';

/** NUMERIC and BIGINT come as text. */
type Row = Omit<ChainReading, Amount | 'blockNumber'> & Record<Amount | 'blockNumber', string>;

const readingOf = ({ reported, booked, unbooked, blockNumber, ...row }: Row): ChainReading => ({
  ...row,
  ...{ reported: new Decimal(reported), booked: new Decimal(booked), unbooked: new Decimal(unbooked) },
  blockNumber: Number(blockNumber),
});

/** What is read of chains: each place with each asset that can stand there. */
export type Series = Pick<ChainReading, 'chain' | 'place' | 'asset'>;

const columnsOfAll = (all: readonly Series[]) => [
  all.map(({ chain }) => chain),
  all.map(({ place }) => place),
  all.map(({ asset }) => asset),
];
const GIVEN = 'unnest($1::text[], $2::text[], $3::text[]) as given(chain, place, asset)';
const OF_GIVEN = 'chain = given.chain and place = given.place and asset = given.asset';

/** The last reading of each. Raw: one row of the index for each. */
export async function lastOf(sql: Sql, all: readonly Series[]): Promise<ChainReading[]> {
  const rows = await sql.query<Row>(
    `select r.chain, r.place, r.asset, r.read_at as "readAt", r.block_number as "blockNumber", r.differs_since as "differsSince",
            r.reported::text, r.booked::text, r.unbooked::text
       from ${GIVEN}
      cross join lateral (select * from chain_readings where ${OF_GIVEN} order by read_at desc limit 1) r`,
    columnsOfAll(all),
  );
  return rows.map(readingOf);
}

/** Keeps readings; one of a time that was read before is the one that there is. */
export async function insertReadings(tx: Sql, found: readonly ChainReading[]): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map(({ reported, booked, unbooked, ...row }) => ({
    ...row,
    ...{ reported: reported.toFixed(), booked: booked.toFixed(), unbooked: unbooked.toFixed() },
  }));
  await tx.run(readings().insert(rows).onConflict(['chain', 'place', 'asset', 'read_at']).ignore());
}

/**
 * Deletes those from before then, but for the last of each: it tells whether the two differ, however long no node answers. Raw: by the
 * columns that lead the index.
 */
export async function deleteReadings(sql: Sql, all: readonly Series[], before: Date): Promise<void> {
  await sql.query(
    `delete from chain_readings r using ${GIVEN}
      where r.chain = given.chain and r.place = given.place and r.asset = given.asset and r.read_at < $4
        and r.read_at < (select max(read_at) from chain_readings where ${OF_GIVEN})`,
    [...columnsOfAll(all), before],
  );
}
