import type { Tx } from '../../kernel/db/database';
import { decimal, recordTable } from '../../kernel/db/record-table';
import { Decimal } from '../../kernel/money/money';

/** A transfer's part of its tenant's daily sum. `amount` is null where there was no fresh rate. */
export interface Outflow {
  transferId: string;
  tenantId: string;
  /** UTC date, `2026-01-31`. */
  day: string;
  amount: Decimal | null;
  currency: string;
  rate: Decimal | null;
}

const outflows = recordTable<Outflow>('daily_outflows', { amount: decimal, rate: decimal });

/**
 * Locks the daily sum of a tenant until the end of the transaction. The order of locks is: idempotency key, quote,
 * daily sum, accounts. Raw, because it is an advisory lock of Postgres.
 */
export async function lockDay(tx: Tx, tenantId: string): Promise<void> {
  await tx.prepared('daily-sum-lock', 'select pg_advisory_xact_lock(hashtextextended($1, 110))', [tenantId]);
}

/**
 * Sums a tenant's day: all transfers that were not rejected, failed or cancelled. Requires {@link lockDay}, because
 * changes are added to the stored sums. Raw: one statement moves rows between tables.
 * @returns `whole`: false where an amount in that currency is unknown
 */
export async function sumOfDay(
  tx: Tx,
  { tenantId, day, currency }: Pick<Outflow, 'tenantId' | 'day' | 'currency'>,
): Promise<{ sum: Decimal; whole: boolean }> {
  const [row] = await tx.prepared<{ sum: string; whole: boolean }>(
    'daily-sum',
    `with changes as (
       delete from daily_outflow_changes where tenant_id = $1 and day = $2 returning currency, amount, outflows, unknown
     ), changed as (
       insert into daily_outflow_sums as s (tenant_id, day, currency, amount, outflows, unknown)
       select $1, $2, currency, sum(amount), sum(outflows), sum(unknown) from changes group by currency
       on conflict (tenant_id, day, currency) do update
         set amount = s.amount + excluded.amount, outflows = s.outflows + excluded.outflows, unknown = s.unknown + excluded.unknown
       returning currency, amount, outflows, unknown
     ), sums as (
       select * from changed
       union all
       select currency, amount, outflows, unknown from daily_outflow_sums
        where tenant_id = $1 and day = $2 and currency not in (select currency from changed)
     )
     select coalesce(sum(amount) filter (where currency = $3), 0)::text as sum,
            coalesce(bool_and(unknown = 0 and currency = $3) filter (where outflows > 0), true) as whole
       from sums`,
    [tenantId, day, currency],
  );
  return { sum: new Decimal(row?.sum ?? 0), whole: row?.whole ?? true };
}

export const insertOutflow = (tx: Tx, outflow: Outflow): void =>
  tx.defer(outflows().insert(outflows.row(outflow)));
