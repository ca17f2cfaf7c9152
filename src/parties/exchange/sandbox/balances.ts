import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import { secondsAfter } from '../../sandbox/time';
import type { Movement } from './settlement';

const movements = () => table('sandbox_exchange_movements');

/** Records all future movements of a taken order. */
export function recordMovements(tx: Tx, key: string, acceptedAt: Date, all: readonly Movement[]): void {
  if (all.length === 0) return;
  const rows = all.map(({ currency, amount, afterSeconds }) => ({
    key,
    currency,
    amount: amount.toFixed(),
    at: secondsAfter(acceptedAt, afterSeconds),
  }));
  tx.defer(movements().insert(rows));
}

/**
 * Blocks readers of the balances until the commit. An order that is missing in the balances is then always later than
 * their time.
 */
export async function holdBalances(tx: Sql): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(hashtextextended('sandbox_exchange_balances', 0))`);
}

/** The settled balances at the present time. A currency that was never used is left out. */
export async function presentBalances(tx: Sql, now: () => Date) {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('sandbox_exchange_balances', 0))`);
  const asOf = now();
  const rows = await tx.run<{ currency: string; amount: string }>(
    movements()
      .select('currency', raw('sum(amount) as amount'))
      .where('at', '<=', asOf)
      .groupBy('currency')
      .orderBy('currency'),
  );
  const balances = rows.map(({ currency, amount }) => ({ currency, amount: new Decimal(amount).toFixed() }));
  return { asOf: asOf.toISOString(), balances };
}
