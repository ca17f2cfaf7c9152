import { table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { Decimal, ZERO } from '../../../kernel/money/money';

/** A balance that the exchange reported, with our booked balance. */
export interface SettlementReading {
  currency: string;
  asOf: Date;
  reported: Decimal;
  booked: Decimal;
  /** null: both were equal. */
  differsSince: Date | null;
}

type ReadingRow = Omit<SettlementReading, 'reported' | 'booked'> & { reported: string; booked: string };

/** The last reading of each currency. */
export async function lastReadings(
  sql: Sql,
  currencies: readonly string[],
): Promise<Map<string, SettlementReading>> {
  // Raw: one row of the index for each.
  const rows = await sql.query<ReadingRow>(
    `select r.currency, r.as_of as "asOf", r.reported::text as reported, r.booked::text as booked,
            r.differs_since as "differsSince"
       from unnest($1::text[]) as given(currency)
      cross join lateral (select * from settlement_readings where currency = given.currency
                           order by as_of desc limit 1) r`,
    [currencies],
  );
  return new Map(
    rows.map(({ reported, booked, ...row }) => [
      row.currency,
      { ...row, reported: new Decimal(reported ?? ZERO), booked: new Decimal(booked) },
    ]),
  );
}

/** Stores readings. A second reading of the same time is ignored. */
export async function insertReadings(tx: Sql, readings: readonly SettlementReading[]): Promise<void> {
  if (readings.length === 0) return;
  await tx.run(
    table('settlement_readings')
      .insert(
        readings.map(({ reported, booked, ...row }) => ({
          ...{ ...row, reported: reported.toFixed(), booked: booked.toFixed() },
        })),
      )
      .onConflict(['currency', 'as_of'])
      .ignore(),
  );
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
