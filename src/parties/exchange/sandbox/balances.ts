import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import { secondsAfter } from '../../sandbox/time';
import type { Movement } from './settlement';

const movements = () => table('sandbox_exchange_movements');

/** What the balances come to, as far as an order that is taken decides it. */
export function recordMovements(tx: Tx, key: string, acceptedAt: Date, all: readonly Movement[]): void {
  if (all.length === 0) return;
  const rows = all.map(({ currency, amount, afterSeconds }) => ({
    ...{ key, currency, amount: amount.toFixed(), at: secondsAfter(acceptedAt, afterSeconds) },
  }));
  tx.defer(movements().insert(rows));
}

/** Until the commit no balances are told: their time is then after that of any order that is missing in them. */
export async function holdBalances(tx: Sql): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(hashtextextended('sandbox_exchange_balances', 0))`);
}

/** What is settled at one moment, the present one; a currency that was never used is not in it. */
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
