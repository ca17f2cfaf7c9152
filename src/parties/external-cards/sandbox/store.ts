import { raw, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import { lockByKey } from '../../sandbox/rows';

/** A charge or a push as the sandbox's acquirer keeps it. */
export interface SandboxCardOrder {
  key: string;
  kind: 'charge' | 'push';
  token: string;
  amount: Decimal;
  currency: string;
  merchant: string;
  returnUrl: string | null;
  callbackUrl: string;
  /** The secret part of the address of its page. */
  page: string;
  expiresAt: Date;
  firstAskedAt: Date;
  calls: number;
  /** When the order was taken. */
  acceptedAt: Date | null;
  confirmedAt: Date | null;
  refusedAt: Date | null;
}

type Row = Omit<SandboxCardOrder, 'amount'> & { amount: string };

const TABLE = 'sandbox_external_cards';
const COLUMNS = [
  ...[
    'key',
    'kind',
    'token',
    'amount',
    'currency',
    'merchant',
    'returnUrl',
    'callbackUrl',
    'page',
    'expiresAt',
  ],
  ...['firstAskedAt', 'calls', 'acceptedAt', 'confirmedAt', 'refusedAt'],
];

const orderOf = (row: Row): SandboxCardOrder => ({ ...row, amount: new Decimal(row.amount) });

export type NewOrder = Omit<
  SandboxCardOrder,
  'firstAskedAt' | 'calls' | 'acceptedAt' | 'confirmedAt' | 'refusedAt'
>;

/** The order of that key, locked; noted at the first call. */
export async function lockOrder(tx: Sql, given: NewOrder, at: Date): Promise<SandboxCardOrder> {
  const row = { ...given, amount: given.amount.toFixed(), firstAskedAt: at };
  return orderOf(await lockByKey<Row>(tx, TABLE, row, COLUMNS));
}

export const findOrder = (sql: Sql, key: string) => find(sql, { key });
export const findByPage = (sql: Sql, page: string) => find(sql, { page });

async function find(sql: Sql, by: Record<string, string>): Promise<SandboxCardOrder | undefined> {
  const [row] = await sql.run<Row>(table(TABLE).select(COLUMNS).where(by));
  return row && orderOf(row);
}

/** @param acceptedAt null where the order was not taken */
export async function noteCall(tx: Sql, key: string, acceptedAt: Date | null): Promise<void> {
  await tx.run(
    table(TABLE)
      .where({ key })
      .update({ calls: raw('calls + 1'), acceptedAt: raw('coalesce(accepted_at, ?)', [acceptedAt]) }),
  );
}

/** The payer's decision on the page. The first one counts. @returns false when there was one, or time has run out */
export async function decide(
  sql: Sql,
  page: string,
  decision: 'confirm' | 'refuse',
  at: Date,
): Promise<boolean> {
  const rows = await sql.run(
    table(TABLE)
      .where({ page, confirmedAt: null, refusedAt: null })
      .where('expiresAt', '>', at)
      .update({ [decision === 'confirm' ? 'confirmedAt' : 'refusedAt']: at })
      .returning('key'),
  );
  return rows.length === 1;
}
