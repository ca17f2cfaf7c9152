import { raw, table } from '../../../../kernel/db/build';
import type { Sql } from '../../../../kernel/db/database';
import type { Attempt } from './record';

/** Refusals by nodes, and cancelling transactions. */

const nonces = () => table('chain_nonces');

/** Whether a transaction cancels its operation. */
export async function isCancelling(sql: Sql, chain: string, hash: string): Promise<boolean> {
  const [row] = await sql.run<Pick<Attempt, 'cancels'>>(nonces().select('cancels').where({ chain, hash }));
  return row?.cancels ?? false;
}

/** @returns consecutive refusals, this one included */
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
