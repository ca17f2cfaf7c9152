import { table } from '../../kernel/db/build';
import type { Tx } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';

/** What a transfer counts for its tenant's day; `amount` null where there was no fresh rate. */
export interface Outflow {
  transferId: string;
  tenantId: string;
  /** `2026-01-31`, UTC. */
  day: string;
  amount: Decimal | null;
  currency: string;
  rate: Decimal | null;
}

/**
 * One at a time adds to a tenant's day. Before any account is locked: the house's order is key, quote, tenant's day, accounts.
 * Raw: a lock of Postgres's own.
 */
export async function lockDay(tx: Tx, tenantId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 110))', [tenantId]);
}

/**
 * What counts of a tenant's day: all that was not rejected, failed or cancelled. Only under {@link lockDay}, because what has changed
 * is added to the kept sums. Raw: one statement that moves rows from one table to another.
 * @returns `whole`: false where something of it is of no known amount in that currency
 */
export async function sumOfDay(
  tx: Tx,
  { tenantId, day, currency }: Pick<Outflow, 'tenantId' | 'day' | 'currency'>,
): Promise<{ sum: Decimal; whole: boolean }> {
  const [row] = await tx.query<{ sum: string; whole: boolean }>(
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

export function insertOutflow(tx: Tx, { amount, rate, ...given }: Outflow): void {
  const row = { ...given, amount: amount?.toFixed() ?? null, rate: rate?.toFixed() ?? null };
  tx.defer(table('daily_outflows').insert(row));
}
