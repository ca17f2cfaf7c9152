import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import type { SandboxParty } from '../options';
import { lockByKey } from '../rows';

/** Faults between a party and its caller, selected by a magic value. */
export interface OrderFaults {
  /** The first order is carried out and its answer is lost. */
  losesFirstAnswer?: boolean;
  /** The first order is lost on its way, and no answer comes. */
  losesFirstOrder?: boolean;
  /** Seconds in which no order reaches the party, counted from the first. */
  unreachableSeconds?: number;
  /** Every callback is sent twice, and a forged one with it. */
  repeatsCallbacks?: boolean;
  /** No callback is sent, so a change is found only by asking. */
  sendsNoCallbacks?: boolean;
}

export interface KeptOrder {
  key: string;
  callbackUrl: string;
  firstAskedAt: Date;
  calls: number;
  acceptedAt: Date | null;
  /** Set where the table has several kinds. */
  kind?: string;
}

/** A change of an order that happens by itself. */
export interface LaterChange {
  /** Seconds after the order was taken. Infinity: never. */
  afterSeconds: number;
}

/** A party's orders of one kind, stored in a table with a row for each key. */
export interface OrderBook<Order extends { key: string }, Kept extends KeptOrder, Word extends object> {
  party: SandboxParty;
  table: string;
  /** Set where the table has several kinds. A key belongs to one order across all kinds. */
  kind?: string;
  /** Columns beside those of {@link KeptOrder}. */
  columns: readonly string[];
  rowOf(order: Order): { key: string } & Record<string, unknown>;
  keptOf(row: never): Kept;
  /** Whether the key was used for another order. Addresses are not compared, because ours may change. */
  isAnother(order: Order, kept: Kept): boolean;
  faultsOf(kept: Kept): OrderFaults;
  /** Writes once as the order is taken. @returns the stored order */
  accept?(tx: Tx, kept: Kept, at: Date): Kept;
  /** The planned changes, in the order of time. */
  changesOf(kept: Kept): LaterChange[];
  /** The party's state of a taken order. */
  wordAt(kept: Kept, version: number, at: Date): Word;
}

const KEPT = ['key', 'callbackUrl', 'firstAskedAt', 'calls', 'acceptedAt'];

const ofKind = (kind: string | undefined) => (kind === undefined ? {} : { kind });

/** Locks the order with that key. The first call inserts it. */
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

/** Counts a call. @param acceptedAt null where the order was not taken */
export function noteCall(tx: Tx, name: string, key: string, acceptedAt: Date | null): void {
  tx.defer(
    table(name)
      .where({ key })
      .update({ calls: raw('calls + 1'), acceptedAt: raw('coalesce(accepted_at, ?)', [acceptedAt]) }),
  );
}
