import { raw } from '../kernel/db/build';
import type { Sql, Tx } from '../kernel/db/database';
import { decimal, recordTable } from '../kernel/db/record-table';
import { Decimal, ZERO } from '../kernel/money/money';
import { closeBreaksUnder, openBreaksOf, syncBreaks } from './breaks/operations';

/**
 * Balances that the card processor or a bank by files reports, compared with our books at each reading. The exchange has
 * readings of its own, because its checks pay orders.
 */
export interface BalanceReading {
  /** The party whose account the balance stands with. */
  party: 'cardProcessor' | 'payouts' | 'bank';
  currency: string;
  readAt: Date;
  /** The time of the reported balance. */
  asOf: Date;
  reported: Decimal;
  /** The same balance by our books. */
  booked: Decimal;
}

const readings = recordTable<BalanceReading>('balance_readings', { reported: decimal, booked: decimal }, [
  'party',
  'currency',
  'readAt',
  'asOf',
  'reported',
  'booked',
]);

/** The last reading of each party and currency. The primary key serves the order backwards. */
export const lastBalances = (sql: Sql): Promise<BalanceReading[]> =>
  readings.all(
    sql,
    readings()
      .distinctOn('party', 'currency')
      .orderBy(['party', 'currency', 'readAt'].map((column) => ({ column, order: 'desc' as const }))),
  );

/** The breaks of one kind of comparison. */
export interface ShownUnder {
  kind: string;
  /** Beginning of their subjects, before the currency. */
  under: string;
}

/**
 * Stores a reading, and opens or closes the break for a lasting difference. Movements under way make almost every
 * reading of a busy installation differ. A difference therefore lasts when each reading of the window differs to the same
 * side, and the break shows the smallest of them. Idempotent.
 */
export async function noteBalance(
  tx: Tx,
  reading: BalanceReading,
  { kind, under, windowMs }: ShownUnder & { windowMs: number },
): Promise<void> {
  const { party, currency, readAt: at } = reading;
  const subject = under + currency;
  const from = new Date(at.getTime() - windowMs);
  await tx.run(
    readings()
      .insert(readings.row(reading))
      .onConflict(['party', 'currency', 'read_at'])
      .merge(['as_of', 'reported', 'booked']),
  );
  // The last reading before the window stays, because it shows that the window is covered.
  const covering = readings().where({ party, currency }).where('readAt', '<=', from).max('read_at');
  await tx.run(readings().where({ party, currency }).where('readAt', '<', covering).delete());
  const amount = await lastingDifference(tx, { party, currency, from });
  const open = (await openBreaksOf(tx, subject)).filter((each) => each.kind === kind);
  const wanted = amount.isZero() ? [] : [{ kind, detail: currency, amount, currency }];
  await syncBreaks(tx, { tenantId: null, subject, open, wanted, notices: [], at });
}

/**
 * Deletes the readings of these parties that are compared no more, and closes their breaks. Otherwise the last reading of
 * an account that is gone would be shown for ever. Idempotent.
 */
export async function forgetBalances(
  tx: Tx,
  given: {
    parties: readonly BalanceReading['party'][];
    compared: readonly Pick<BalanceReading, 'party' | 'currency'>[];
    shown: ShownUnder;
    at: Date;
  },
): Promise<void> {
  const { parties, compared, shown, at } = given;
  const isCompared = (one: BalanceReading) =>
    compared.some(({ party, currency }) => party === one.party && currency === one.currency);
  for (const each of await lastBalances(tx)) {
    if (!parties.includes(each.party) || isCompared(each)) continue;
    const { party, currency } = each;
    await tx.run(readings().where({ party, currency }).delete());
  }
  const except = compared.map(({ currency }) => shown.under + currency);
  await closeBreaksUnder(tx, { ...shown, except, at });
}

/** The smallest difference of the window. Zero while the window is not covered, and where the side has changed. */
async function lastingDifference(
  sql: Sql,
  { party, currency, from }: Pick<BalanceReading, 'party' | 'currency'> & { from: Date },
): Promise<Decimal> {
  const [row] = await sql.run<{ since: Date; least: string; most: string }>(
    readings()
      .where({ party, currency })
      .select(
        raw('min(read_at) as since'),
        raw('min(reported - booked)::text as least'),
        raw('max(reported - booked)::text as most'),
      ),
  );
  if (!row || row.since > from) return ZERO;
  const [least, most] = [new Decimal(row.least), new Decimal(row.most)];
  if (least.gt(0)) return least;
  return most.lt(0) ? most : ZERO;
}
