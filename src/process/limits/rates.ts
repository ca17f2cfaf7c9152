import type { Sql } from '../../kernel/db/database';
import { Decimal, toRate } from '../../kernel/money/money';

/** Middle rates of one moment against one currency, by which limits are counted. */
export interface CountingRates {
  asOf: Date;
  /** Null: the rates never expire. */
  freshUntil: Date | null;
  mids: ReadonlyMap<string, Decimal>;
}

/**
 * Stores the rates by which limits are counted. Older rates than the stored ones are ignored. Raw: the row keeps the
 * newest.
 */
export async function keepCountingRates(sql: Sql, { asOf, freshUntil, mids }: CountingRates): Promise<void> {
  const texts = Object.fromEntries([...mids].map(([currency, mid]) => [currency, mid.toFixed()]));
  await sql.query(
    `insert into counting_rates (as_of, fresh_until, mids) values ($1, $2, $3)
     on conflict (one) do update set as_of = $1, fresh_until = $2, mids = $3
      where counting_rates.as_of <= $1`,
    [asOf, freshUntil, JSON.stringify(texts)],
  );
}

/** Times of the stored rates. Undefined before the first. */
export async function countingRatesTimes(
  sql: Sql,
): Promise<Pick<CountingRates, 'asOf' | 'freshUntil'> | undefined> {
  const [times] = await sql.query<Pick<CountingRates, 'asOf' | 'freshUntil'>>(
    'select as_of as "asOf", fresh_until as "freshUntil" from counting_rates',
  );
  return times;
}

/**
 * Worth of one unit of `from` in `to`, by the stored rates.
 * @returns undefined unless both currencies have a rate that is fresh at that time
 */
export async function countingRate(
  sql: Sql,
  { from, to, at }: { from: string; to: string; at: Date },
): Promise<Decimal | undefined> {
  if (from === to) return new Decimal(1);
  const [row] = await sql.query<{ one: string | null; other: string | null }>(
    `select mids->>$1 as one, mids->>$2 as other from counting_rates
      where fresh_until is null or fresh_until >= $3`,
    [from, to, at],
  );
  if (!row?.one || !row.other) return undefined;
  return toRate(new Decimal(row.one).dividedBy(row.other));
}
