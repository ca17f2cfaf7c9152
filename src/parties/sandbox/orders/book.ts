import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import type { SandboxParty } from '../options';
import { lockByKey } from '../rows';
import type { LaterChange } from './moments';

/** What goes wrong between a party and whoever orders, where a magic value says so. */
export interface OrderFaults {
  /** The first order is carried out and its answer is lost. */
  losesFirstAnswer?: boolean;
  /** The first order is lost on its way, and no answer comes. */
  losesFirstOrder?: boolean;
  /** Seconds in which no order reaches the party, counted from the first. */
  unreachableSeconds?: number;
  /** Every callback is sent twice, and a forged one with it. */
  repeatsCallbacks?: boolean;
  /** No callback is sent: what happens is found by asking. */
  sendsNoCallbacks?: boolean;
}

/** What a party keeps of every order, from the first call on. */
export interface KeptOrder {
  key: string;
  callbackUrl: string;
  firstAskedAt: Date;
  calls: number;
  /** When the order was taken. */
  acceptedAt: Date | null;
  /** Where the table has several. */
  kind?: string;
}

/** The orders of one kind that a party keeps in a table, a row a key. */
export interface OrderBook<Order extends { key: string }, Kept extends KeptOrder, Word extends object> {
  party: SandboxParty;
  table: string;
  /** Where the table has several: a key is of one order, whichever its kind. */
  kind?: string;
  /** Beside those of {@link KeptOrder}. */
  columns: readonly string[];
  rowOf(order: Order): { key: string } & Record<string, unknown>;
  keptOf(row: never): Kept;
  /** Whether the key was used for another order. Where it calls may change: our address may. */
  isAnother(order: Order, kept: Kept): boolean;
  faultsOf(kept: Kept): OrderFaults;
  /** What is written down, once, as the order is taken. @returns the order as it is kept from then on */
  accept?(tx: Tx, kept: Kept, at: Date): Kept;
  /** How it changes by itself, in the order of time. */
  changesOf(kept: Kept): LaterChange[];
  /** What the party says of an order that was taken. */
  wordAt(kept: Kept, version: number, at: Date): Word;
}

const KEPT = ['key', 'callbackUrl', 'firstAskedAt', 'calls', 'acceptedAt'];

const ofKind = (kind: string | undefined) => (kind === undefined ? {} : { kind });

/** The order of that key, locked; noted at the first call. */
export async function lockOrder<Order extends { key: string }, Kept extends KeptOrder>(
  tx: Sql,
  { table: name, kind, columns, rowOf, keptOf }: OrderBook<Order, Kept, object>,
  order: Order,
  at: Date,
): Promise<Kept> {
  const row = { ...rowOf(order), ...ofKind(kind), firstAskedAt: at };
  const read = [...KEPT, ...Object.keys(ofKind(kind)), ...columns];
  return keptOf(await lockByKey<never>(tx, name, row, read));
}

export async function findOrder<Order extends { key: string }, Kept extends KeptOrder>(
  sql: Sql,
  { table: name, kind, columns, keptOf }: OrderBook<Order, Kept, object>,
  key: string,
): Promise<Kept | undefined> {
  const found = table(name).where({ key, ...ofKind(kind) });
  const [row] = await sql.run(found.select([...KEPT, ...columns]));
  return row && keptOf(row as never);
}

/** @param acceptedAt null where the order was not taken */
export function noteCall(tx: Tx, name: string, key: string, acceptedAt: Date | null): void {
  tx.defer(
    table(name)
      .where({ key })
      .update({ calls: raw('calls + 1'), acceptedAt: raw('coalesce(accepted_at, ?)', [acceptedAt]) }),
  );
}
