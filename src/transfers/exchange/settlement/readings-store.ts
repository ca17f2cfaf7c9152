import type { Sql } from '../../../kernel/db/database';
import { decimal, recordTable } from '../../../kernel/db/record-table';
import type { Decimal } from '../../../kernel/money/money';

/** A balance that the exchange reported, with our booked balance. */
export interface SettlementReading {
  currency: string;
  asOf: Date;
  reported: Decimal;
  booked: Decimal;
  /** null: both were equal. */
  differsSince: Date | null;
}

const readings = recordTable<SettlementReading>('settlement_readings', {
  reported: decimal,
  booked: decimal,
});

/** The last reading of each currency. */
export async function lastReadings(
  sql: Sql,
  currencies: readonly string[],
): Promise<Map<string, SettlementReading>> {
  // Raw: one row of the index for each.
  const rows = await sql.query(
    `select r.currency, r.as_of as "asOf", r.reported::text as reported, r.booked::text as booked,
            r.differs_since as "differsSince"
       from unnest($1::text[]) as given(currency)
      cross join lateral (select * from settlement_readings where currency = given.currency
                           order by as_of desc limit 1) r`,
    [currencies],
  );
  return new Map(rows.map(readings.record).map((reading) => [reading.currency, reading]));
}

/** Stores readings. A second reading of the same time is ignored. */
export async function insertReadings(tx: Sql, read: readonly SettlementReading[]): Promise<void> {
  if (read.length === 0) return;
  await tx.run(readings().insert(read.map(readings.row)).onConflict(['currency', 'as_of']).ignore());
}

/**
 * Deletes old readings of these currencies, except the last of each: it shows a difference, however long the exchange
 * is away. Raw: by the currencies, which lead the index.
 * @returns the number of deleted rows
 */
export async function deleteReadings(sql: Sql, currencies: readonly string[], before: Date): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `with gone as (delete from settlement_readings r using unnest($1::text[]) as given(currency)
                    where r.currency = given.currency and r.as_of < $2
                      and r.as_of < (select max(as_of) from settlement_readings l where l.currency = r.currency) returning 1)
     select count(*)::int as count from gone`,
    [currencies, before],
  );
  return row?.count ?? 0;
}
