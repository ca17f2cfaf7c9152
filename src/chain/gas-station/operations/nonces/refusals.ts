import { raw, table } from '../../../../kernel/db/build';
import type { Sql } from '../../../../kernel/db/database';
import type { Attempt } from './record';

/** Transactions that nodes refuse, and those that cancel them. */

const nonces = () => table('chain_nonces');

/** Whether a transaction is one that cancels its operation. */
export async function isCancelling(sql: Sql, chain: string, hash: string): Promise<boolean> {
  const [row] = await sql.run<Pick<Attempt, 'cancels'>>(nonces().select('cancels').where({ chain, hash }));
  return row?.cancels ?? false;
}

/** @returns how often in a row it was refused by now */
export async function countRefusal(sql: Sql, number: string): Promise<number> {
  const counted = nonces()
    .where({ number })
    .update({ refusals: raw('refusals + 1') });
  const [row] = await sql.run<Pick<Attempt, 'refusals'>>(counted.returning('refusals'));
  return row?.refusals ?? 0;
}

export async function forgetRefusals(sql: Sql, number: string): Promise<void> {
  await sql.run(nonces().where({ number }).update({ refusals: 0 }));
}
