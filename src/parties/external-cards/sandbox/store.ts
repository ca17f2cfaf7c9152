import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import { lockByKey } from '../../sandbox/rows';

/** A charge or a push as the sandbox's acquirer stores it. */
export interface SandboxCardOrder {
  key: string;
  kind: 'charge' | 'push';
  token: string;
  amount: Decimal;
  currency: string;
  merchant: string;
  returnUrl: string | null;
  callbackUrl: string;
  /** The secret part of the page's address. */
  page: string;
  expiresAt: Date;
  firstAskedAt: Date;
  calls: number;
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

/** Locks the order with that key. The first call inserts it. */
export async function lockOrder(tx: Sql, given: NewOrder, at: Date): Promise<SandboxCardOrder> {
  const row = { ...given, amount: given.amount.toFixed(), firstAskedAt: at };
  return orderOf(await lockByKey<Row>(tx, TABLE, row, COLUMNS));
}

/** Locks for reading, so that the recorded changes and the state agree. */
export const readOrder = (tx: Sql, key: string) => find(tx, { key }, 'share');
export const readByPage = (tx: Sql, page: string) => find(tx, { page }, 'share');
export const lockByPage = (tx: Sql, page: string) => find(tx, { page }, 'update');

async function find(
  tx: Sql,
  by: Record<string, string>,
  lock: 'share' | 'update',
): Promise<SandboxCardOrder | undefined> {
  const query = table(TABLE).select(COLUMNS).where(by);
  const [row] = await tx.run<Row>(lock === 'share' ? query.forShare() : query.forUpdate());
  return row && orderOf(row);
}

/** Counts a call. @param acceptedAt null where the order was not taken */
export function noteCall(tx: Tx, key: string, acceptedAt: Date | null): void {
  tx.defer(
    table(TABLE)
      .where({ key })
      .update({ calls: raw('calls + 1'), acceptedAt: raw('coalesce(accepted_at, ?)', [acceptedAt]) }),
  );
}

/** Stores the payer's decision on the page. */
export async function saveDecision(
  tx: Sql,
  { key, confirmedAt, refusedAt }: Pick<SandboxCardOrder, 'key' | 'confirmedAt' | 'refusedAt'>,
): Promise<void> {
  await tx.run(table(TABLE).where({ key }).update({ confirmedAt, refusedAt }));
}
