import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { decimal, recordTable, safeInteger } from '../../../kernel/db/record-table';
import type { Decimal } from '../../../kernel/money/money';
import { noteChange } from './changes';

/** How far an order is. A later stage is never lowered, except by money that is booked after a refusal. */
export type OrderStage = 'ordered' | 'accepted' | 'sent' | 'completed' | 'failed';

export interface BankOrder {
  key: string;
  purpose: 'payout' | 'return';
  creditId: string | null;
  endToEndId: string;
  service: 'sepa' | 'swift';
  amount: Decimal;
  currency: string;
  /** Sealed, bound to the key. Null once the order stands in a file. */
  payee: Buffer | null;
  /** Sealed, bound to the key. */
  fingerprint: Buffer;
  fileId: number | null;
  groupId: string | null;
  stage: OrderStage;
  failureCode: string | null;
  sent: Decimal;
  debited: Decimal;
  recall: 'asked' | 'pending' | 'accepted' | 'refused' | null;
  /** Our file that asks the payout back. */
  recallFileId: number | null;
  version: number;
  createdAt: Date;
}

const orders = recordTable<BankOrder>('bank_orders', {
  amount: decimal,
  sent: decimal,
  debited: decimal,
  fileId: safeInteger,
  recallFileId: safeInteger,
});

type NewOrder = Pick<
  BankOrder,
  'key' | 'purpose' | 'creditId' | 'endToEndId' | 'service' | 'amount' | 'currency' | 'payee' | 'fingerprint'
>;

/** @returns undefined when the key has an order already */
export const insertOrder = (tx: Tx, order: NewOrder): Promise<BankOrder | undefined> =>
  orders.writtenOne(tx, orders().insert(orders.row(order)).onConflict('key').ignore());

export const findOrder = (sql: Sql, key: string): Promise<BankOrder | undefined> =>
  orders.one(sql, orders().where({ key }));

export const findByName = (sql: Sql, endToEndId: string): Promise<BankOrder | undefined> =>
  orders.one(sql, orders().where({ endToEndId }));

/** Locks the order of a name until the transaction ends. */
export const lockByName = (tx: Tx, endToEndId: string): Promise<BankOrder | undefined> =>
  orders.one(tx, orders().where({ endToEndId }).forNoKeyUpdate());

/** Locks the orders of a file, or of one of its groups, in one order so that two reports wait without a deadlock. */
export function lockOfFile(tx: Tx, fileId: number, groupId?: string): Promise<BankOrder[]> {
  const found = orders().where({ fileId }).orderBy('key').forNoKeyUpdate();
  return orders.all(tx, groupId === undefined ? found : found.where({ groupId }));
}

/** The orders of a received payment: returns that we have given. */
export const returnsOf = (sql: Sql, creditId: string): Promise<BankOrder[]> =>
  orders.all(sql, orders().where({ creditId }).orderBy('key'));

/** Locks orders of these currencies that stand in no file, the longest waiting first. Other processes skip them. */
export const lockToSend = (tx: Tx, currencies: readonly string[], most: number): Promise<BankOrder[]> =>
  orders.all(
    tx,
    orders()
      .whereNull('fileId')
      .where({ stage: 'ordered' })
      .whereIn('currency', [...currencies])
      .orderBy(['createdAt', 'key'])
      .limit(most)
      .forNoKeyUpdate()
      .skipLocked(),
  );

/** The number of waiting orders of these currencies, up to a limit, and since when the first waits. */
export async function waitingToSend(
  sql: Sql,
  currencies: readonly string[],
  most: number,
): Promise<{ count: number; since: Date | null }> {
  const waiting = table('bank_orders')
    .select('createdAt')
    .whereNull('fileId')
    .where({ stage: 'ordered' })
    .whereIn('currency', [...currencies])
    .orderBy('createdAt')
    .limit(most);
  const rows = await sql.run<{ createdAt: Date }>(waiting);
  return { count: rows.length, since: rows[0]?.createdAt ?? null };
}

/** Notes in which file and group an order stands. The payee is needed no more. */
export async function noteFiled(tx: Tx, key: string, fileId: number, groupId: string): Promise<void> {
  await tx.run(orders().where({ key }).update({ fileId, groupId, payee: null }));
}

type Changed = Partial<
  Pick<BankOrder, 'stage' | 'failureCode' | 'sent' | 'debited' | 'recall' | 'recallFileId'>
>;

/** Stores a change of an order, and lists it for the party that the order belongs to. */
export async function changeOrder(tx: Tx, order: BankOrder, changed: Changed): Promise<void> {
  const { key, purpose, creditId } = order;
  const [row] = await tx.run<{ version: number }>(
    orders()
      .where({ key })
      .update({ ...orders.row(changed), version: raw('version + 1') })
      .returning('version'),
  );
  if (purpose === 'payout') return noteChange(tx, 'payouts', key, row?.version ?? order.version);
  await noteCreditChange(tx, creditId ?? '');
}

/** Counts a change of a received payment, and lists it. */
export async function noteCreditChange(tx: Tx, id: string): Promise<void> {
  const [row] = await tx.run<{ version: number }>(
    table('bank_credits')
      .where({ id })
      .update({ version: raw('version + 1') })
      .returning('version'),
  );
  if (row) await noteChange(tx, 'bank', id, row.version);
}

// Money that has come back ------------------------------------------------------------------------------------------

export interface OrderReturn {
  id: string;
  orderKey: string;
  amount: Decimal;
  reason: string | null;
  toldBy: string | null;
  bookedBy: string | null;
}

const returns = recordTable<OrderReturn>('bank_order_returns', { amount: decimal });

export const returnsOfOrder = (sql: Sql, orderKey: string): Promise<OrderReturn[]> =>
  returns.all(sql, returns().where({ orderKey }).orderBy('id'));

export const returnsOfOrders = (sql: Sql, keys: readonly string[]): Promise<OrderReturn[]> =>
  returns.all(
    sql,
    returns()
      .whereIn('orderKey', [...keys])
      .orderBy('id'),
  );

export async function insertReturn(tx: Tx, made: OrderReturn): Promise<void> {
  await tx.run(returns().insert(returns.row(made)));
}

export async function nameReturn(
  tx: Tx,
  id: string,
  by: Partial<Pick<OrderReturn, 'toldBy' | 'bookedBy' | 'reason'>>,
): Promise<void> {
  await tx.run(returns().where({ id }).update(by));
}

/** Sent amounts that no booked entry shows yet, by currency. */
export async function sentNotBooked(sql: Sql): Promise<{ currency: string; amount: Decimal }[]> {
  const rows = await sql.run<{ currency: string; amount: string }>(
    table('bank_orders')
      .select('currency')
      .select(raw('sum(sent - debited)::text as amount'))
      .whereRaw('sent > debited')
      .groupBy('currency'),
  );
  return rows.map(({ currency, amount }) => ({ currency, amount: decimal.read(amount as never) }));
}

/** Returns that a message has told of and no booked entry shows yet, by currency. */
export async function returnsNotBooked(sql: Sql): Promise<{ currency: string; amount: Decimal }[]> {
  const rows = await sql.run<{ currency: string; amount: string }>(
    table('bank_order_returns')
      .join('bank_orders', 'bank_orders.key', 'bank_order_returns.order_key')
      .select('bank_orders.currency')
      .select(raw('sum(bank_order_returns.amount)::text as amount'))
      .whereNull('bank_order_returns.booked_by')
      .groupBy('bank_orders.currency'),
  );
  return rows.map(({ currency, amount }) => ({ currency, amount: decimal.read(amount as never) }));
}
