import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import { lockByKey } from '../../sandbox/rows';

/** A payout as the sandbox's party keeps it. */
export interface SandboxPayout {
  key: string;
  method: string;
  amount: Decimal;
  currency: string;
  callbackUrl: string;
  firstAskedAt: Date;
  calls: number;
  /** When the order was taken. */
  acceptedAt: Date | null;
}

type Row = Omit<SandboxPayout, 'amount'> & { amount: string };

const TABLE = 'sandbox_payouts';
const COLUMNS = [
  ...['key', 'method', 'amount', 'currency', 'callbackUrl'],
  ...['firstAskedAt', 'calls', 'acceptedAt'],
];

const payoutOf = (row: Row): SandboxPayout => ({ ...row, amount: new Decimal(row.amount) });

export type Order = Pick<SandboxPayout, 'key' | 'method' | 'amount' | 'currency' | 'callbackUrl'>;

/** The payout of that order, locked; noted at the first call. */
export async function lockOrder(tx: Sql, order: Order, at: Date): Promise<SandboxPayout> {
  const row = { ...order, amount: order.amount.toFixed(), firstAskedAt: at };
  return payoutOf(await lockByKey<Row>(tx, TABLE, row, COLUMNS));
}

export async function findOrder(sql: Sql, key: string): Promise<SandboxPayout | undefined> {
  const [row] = await sql.run<Row>(table(TABLE).select(COLUMNS).where({ key }));
  return row && payoutOf(row);
}

/** @param acceptedAt null where the order was not taken */
export function noteCall(tx: Tx, key: string, acceptedAt: Date | null): void {
  tx.defer(
    table(TABLE)
      .where({ key })
      .update({ calls: raw('calls + 1'), acceptedAt: raw('coalesce(accepted_at, ?)', [acceptedAt]) }),
  );
}
