import type { Sql } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';

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

const COLUMNS = `key, method, amount, currency, callback_url as "callbackUrl", first_asked_at as "firstAskedAt", calls,
  accepted_at as "acceptedAt"`;

const payoutOf = (row: Row): SandboxPayout => ({ ...row, amount: new Decimal(row.amount) });

export type Order = Pick<SandboxPayout, 'key' | 'method' | 'amount' | 'currency' | 'callbackUrl'>;

/** The payout of that order, locked; noted at the first call. */
export async function lockOrder(tx: Sql, order: Order, at: Date): Promise<SandboxPayout> {
  await tx.query(
    `insert into sandbox_payouts (key, method, amount, currency, callback_url, first_asked_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (key) do nothing`,
    [order.key, order.method, order.amount.toFixed(), order.currency, order.callbackUrl, at],
  );
  const [row] = await tx.query<Row>(`select ${COLUMNS} from sandbox_payouts where key = $1 for update`, [
    order.key,
  ]);
  return payoutOf(row as Row);
}

export async function findOrder(sql: Sql, key: string): Promise<SandboxPayout | undefined> {
  const [row] = await sql.query<Row>(`select ${COLUMNS} from sandbox_payouts where key = $1`, [key]);
  return row && payoutOf(row);
}

export async function noteCall(tx: Sql, key: string, acceptedAt: Date | null): Promise<void> {
  await tx.query(
    'update sandbox_payouts set calls = calls + 1, accepted_at = coalesce(accepted_at, $2) where key = $1',
    [key, acceptedAt],
  );
}
