import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { Decimal, ZERO } from '../../../kernel/money/money';

/** How far the exchange's balance of a currency was known to have come at the last check. */
export interface SettlementCheck {
  currency: string;
  /** By the exchange, and when by its clock. */
  reported: Decimal;
  asOf: Date;
  /** All that was sent out by then, as {@link sentOut} tells it. */
  sentOut: Decimal;
  /** What has come and no order was released for; below zero where more has gone than we know of. */
  leftOver: Decimal;
  checkedAt: Date;
}

const checks = () => table('settlement_checks');
const AMOUNTS = ['reported', 'sentOut', 'leftOver'] as const;
type CheckRow = Omit<SettlementCheck, (typeof AMOUNTS)[number]> & Record<(typeof AMOUNTS)[number], string>;

/** Before anything was ever checked: all that the exchange has of ours is still to be counted. */
const NEVER = new Date(0);

/** One check of a currency after the other, to the end of the transaction. */
export async function lockCheck(tx: Tx, currency: string): Promise<SettlementCheck> {
  const nothing = { reported: '0', sentOut: '0', leftOver: '0', summed: '0' };
  const never = { asOf: NEVER, summedTo: NEVER, checkedAt: NEVER };
  await tx.run(
    checks()
      .insert({ currency, ...nothing, ...never })
      .onConflict('currency')
      .ignore(),
  );
  const [row] = await tx.run<CheckRow>(
    checks()
      .select('currency', 'asOf', 'checkedAt', ...AMOUNTS)
      .where({ currency })
      .forUpdate(),
  );
  if (!row) throw new Error(`the settlement of ${currency} cannot be checked`);
  const { reported, sentOut: sent, leftOver, ...rest } = row;
  return {
    ...rest,
    ...{ reported: new Decimal(reported), sentOut: new Decimal(sent), leftOver: new Decimal(leftOver) },
  };
}

/** Entries are committed long before that: what they sum to does not change any more. */
const SUMMED_AFTER_MS = 24 * 60 * 60_000;

export function saveCheck(tx: Tx, check: SettlementCheck): void {
  const { currency, asOf, checkedAt, reported, sentOut: sent, leftOver } = check;
  const summedTo = new Date(checkedAt.getTime() - SUMMED_AFTER_MS);
  tx.defer(
    checks()
      .where({ currency })
      .update({
        ...{ asOf, checkedAt, reported: reported.toFixed() },
        ...{ sentOut: sent.toFixed(), leftOver: leftOver.toFixed() },
        summed: raw(`summed + coalesce((${SENT} and e.at <= ?::timestamptz), 0)`, [summedTo]),
        summedTo: raw('greatest(summed_to, ?::timestamptz)', [summedTo]),
      }),
  );
}

const SENT = `select sum(e.amount) from transfer_entries e
   where e.component = 'settlement' and e.currency = settlement_checks.currency and e.at > settlement_checks.summed_to`;

/**
 * All that has gone out of the exchange's balance by our books, ever: what orders have sold of the currency, what was taken
 * back of released ones, and what withdrawals have sent less what came back. Raw: the sum kept at a check, and what came after it.
 */
export async function sentOut(sql: Sql, currency: string): Promise<Decimal> {
  const [row] = await sql.query<{ sum: string }>(
    `select (coalesce(c.summed, 0) + coalesce((
              select sum(e.amount) from transfer_entries e
               where e.component = 'settlement' and e.currency = $1 and e.at > coalesce(c.summed_to, '-infinity')), 0))::text as sum
       from (select $1::text as currency) given left join settlement_checks c using (currency)`,
    [currency],
  );
  return new Decimal(row?.sum ?? 0);
}

/** Orders that wait to be paid in that currency, the longest first. */
export async function waitingOrderIds(sql: Sql, currency: string, limit: number): Promise<string[]> {
  const rows = await sql.run<{ id: string }>(
    table('transfers')
      .select('id')
      .where({ kind: 'exchange_order', status: 'awaiting_settlement' })
      .whereRaw(`terms->>'toCurrency' = ?`, [currency])
      .orderByRaw(`reached->>'awaiting_settlement', id`)
      .limit(limit),
  );
  return rows.map(({ id }) => id);
}

/** Rows of transfers, to the end of the transaction: in the order in which all lock several at once. */
export async function lockTransfers(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(table('transfers').select('id').whereIn('id', ids).orderBy('id').forNoKeyUpdate());
}

/** What the exchange has reported at a time, beside what our books had. */
export interface SettlementReading {
  currency: string;
  asOf: Date;
  reported: Decimal;
  booked: Decimal;
  /** null: they were the same. */
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

/** Keeps readings; one of a time that was read before is the one that there is. */
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
