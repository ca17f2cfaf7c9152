import { type Locking, locked } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { json, recordTable, wholeUnits } from '../../../kernel/db/record-table';
import type { SandboxParty } from '../options';

/** What the book stores of each record. */
export interface KeptRecord {
  /** Counts the records of all parties. */
  number: bigint;
  /** The idempotency key of its order. */
  key: string;
  /** The party's own name of the record. */
  id: string | null;
  /** The secret part of its page's address. */
  page: string | null;
  /** Null: the party calls nobody. */
  callbackUrl: string | null;
  firstAskedAt: Date;
  /** Orders that reached the party. */
  calls: number;
  /** Null: not taken. */
  acceptedAt: Date | null;
}

export interface Row extends KeptRecord {
  party: SandboxParty;
  kind: string;
  asked: unknown;
  state: unknown;
}

/** One of the names of a record. */
export type Name = { key: string } | { id: string } | { page: string };

const orders = recordTable<Row>('sandbox_orders', { number: wholeUnits, asked: json, state: json }, [
  ...[
    'number',
    'party',
    'key',
    'kind',
    'id',
    'page',
    'asked',
    'state',
    'callbackUrl',
    'firstAskedAt',
    'calls',
  ],
  'acceptedAt',
]);

/**
 * Locks the row of an order's key. The first call inserts it.
 * @returns undefined where its id belongs to another key
 */
export async function lockByKey(tx: Sql, row: Omit<Row, 'number' | 'calls'>): Promise<Row | undefined> {
  const { party, key } = row;
  // One round trip: the second statement sees the row of the first.
  const [, locked] = await Promise.all([
    tx.run(orders().insert(orders.row(row)).onConflict().ignore()),
    orders.one(tx, orders().where({ party, key }).forUpdate()),
  ]);
  return locked;
}

export const insertRow = (tx: Sql, row: Omit<Row, 'number' | 'calls'>): Promise<Row> =>
  orders.saved(tx, orders().insert(orders.row(row)));

/** The row of a key, of any kind. */
export const rowOfKey = (sql: Sql, party: SandboxParty, key: string): Promise<Row | undefined> =>
  orders.one(sql, orders().where({ party, key }));

/** Locks a row, so that its recorded changes and its state agree. */
export function lockRow(
  tx: Sql,
  where: Pick<Row, 'party' | 'kind'> & Name,
  locking: Locking,
): Promise<Row | undefined> {
  return orders.one(tx, orders().where(where).modify(locked, locking));
}

export function saveRow(
  tx: Tx,
  party: SandboxParty,
  { key, ...fields }: Pick<Row, 'key' | 'id' | 'calls' | 'acceptedAt' | 'state'>,
): void {
  tx.defer(orders().where({ party, key }).update(orders.row(fields)));
}
