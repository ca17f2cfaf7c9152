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
 * What counts of a tenant's day: all that was not rejected, failed or cancelled.
 * @returns `whole`: false where something of it is of no known amount in that currency
 */
export async function sumOfDay(
  tx: Tx,
  { tenantId, day, currency }: Pick<Outflow, 'tenantId' | 'day' | 'currency'>,
): Promise<{ sum: Decimal; whole: boolean }> {
  const [row] = await tx.query<{ sum: string; whole: boolean }>(
    `select coalesce(sum(o.amount) filter (where o.currency = $3), 0)::text as sum,
            coalesce(bool_and(o.amount is not null and o.currency = $3), true) as whole
       from daily_outflows o join transfers t on t.id = o.transfer_id
      where o.tenant_id = $1 and o.day = $2 and t.status not in ('rejected', 'failed', 'cancelled')`,
    [tenantId, day, currency],
  );
  return { sum: new Decimal(row?.sum ?? 0), whole: row?.whole ?? true };
}

export function insertOutflow(tx: Tx, { amount, rate, ...given }: Outflow): void {
  const row = { ...given, amount: amount?.toFixed() ?? null, rate: rate?.toFixed() ?? null };
  tx.defer(table('daily_outflows').insert(row));
}
