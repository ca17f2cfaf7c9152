import { anyOf, raw, table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import type { Commands, WorkflowCommand } from '../../kernel/outbox/commands';
import type { OrderParty } from '../../kernel/parties';
import { overdueIn } from '../../process/overdue';
import { type Showing, showUnknown } from './unknown-name';

/**
 * Reports of a party about our orders, from callbacks and lists. A report stays in `party_orders` until the order has
 * been read, because a signal may be lost. Orders of transfers keep their reports in their own rows.
 */

/** An order of ours, by the key that we gave to the party. */
export interface OrderName {
  party: OrderParty;
  ref: string;
  /** The record's id. The workflow that reads the order is named by it. */
  subject: string;
  tenantId: string;
}

/** An order that the party has reported, with the command that makes us read it. */
export interface ReportedOrder extends OrderName {
  look: WorkflowCommand;
  /** The result is already known. The order is read only to find a contradiction, which can wait. */
  hasEnded?: boolean;
}

const orders = () => table('party_orders');

type Telling = Showing & { commands: Pick<Commands, 'append'>; now(): Date };

/** Wakes the workflows of the reported orders, and stores the report. Unknown keys are shown to a person. */
export async function wakeOrders(
  services: Telling,
  tx: Tx,
  party: OrderParty,
  reported: { orders: readonly ReportedOrder[]; unknown: readonly string[] },
): Promise<void> {
  await makeDue(tx, reported.orders, services.now());
  await showUnknown(services, tx, party, reported.unknown);
  services.commands.append(
    tx,
    reported.orders.map(({ look }) => look),
  );
}

/** The orders as distinct rows, sorted so that two concurrent reports wait for each other without a deadlock. */
const inOrder = (reported: readonly ReportedOrder[]): OrderName[] =>
  [...new Map(reported.map((order) => [order.ref, order])).values()]
    .sort((one, other) => (one.ref < other.ref ? -1 : 1))
    .map(({ party, ref, subject, tenantId }) => ({ party, ref, subject, tenantId }));

/**
 * Marks orders as due. Each report sets a different, never later `due_by`, so that a step notices a report that came
 * after it asked.
 */
async function makeDue(tx: Tx, reported: readonly ReportedOrder[], at: Date): Promise<void> {
  if (reported.length === 0) return;
  const rows = inOrder(reported).map((order) => ({ ...order, dueBy: at }));
  const earlier = raw(`least(party_orders.due_by - interval '1 millisecond', excluded.due_by)`);
  await tx.run(orders().insert(rows).onConflict(['party', 'ref']).merge({ dueBy: earlier }));
}

/**
 * Orders that the watcher wakes in one turn, every three seconds. The rate is low enough for the processor and
 * Temporal.
 */
const MAX_IN_TURN = 15;

/**
 * Stores that a list has named ended orders, and leaves their wake-up to {@link wakeInTurn}. A list that is read from
 * its beginning names every order that was ever given.
 */
export async function keepEndedForTurn(tx: Tx, ended: readonly ReportedOrder[]): Promise<void> {
  if (ended.length === 0) return;
  const rows = inOrder(ended).map((order) => ({ ...order, inTurn: true }));
  await tx.run(orders().insert(rows).onConflict(['party', 'ref']).merge(['in_turn']));
}

/**
 * Wakes the next few orders that {@link keepEndedForTurn} has stored.
 * @param lookOf the command that makes us read the order
 * @returns how many
 */
export async function wakeInTurn(
  { commands, now }: Pick<Telling, 'commands' | 'now'>,
  tx: Tx,
  party: OrderParty,
  lookOf: (order: OrderName) => WorkflowCommand,
): Promise<number> {
  const next = orders().select('ref').where({ party, inTurn: true }).orderBy('ref').limit(MAX_IN_TURN);
  const taken = orders().where({ party }).whereIn('ref', next.forUpdate().skipLocked());
  const found = await tx.run<OrderName>(
    taken.update({ inTurn: false }).returning(['party', 'ref', 'subject', 'tenantId']),
  );
  const woken = found.map((order) => ({ ...order, look: lookOf(order) }));
  await makeDue(tx, woken, now());
  commands.append(
    tx,
    woken.map(({ look }) => look),
  );
  return woken.length;
}

/** The known version of an order and its due time, read before the party is asked. */
export interface KnownOrder {
  version: number | null;
  dueBy: Date | null;
}

export async function knownOrder(sql: Sql, party: OrderParty, ref: string): Promise<KnownOrder> {
  const [row] = await sql.run<KnownOrder>(orders().select('version', 'dueBy').where({ party, ref }));
  return row ?? { version: null, dueBy: null };
}

/** The known versions of these keys. */
export function knownVersions(
  sql: Sql,
  party: OrderParty,
  refs: readonly string[],
): Promise<{ ref: string; version: number | null }[]> {
  return sql.run(orders().select('ref', 'version').where({ party }).where(anyOf('ref', refs)));
}

/**
 * Records that the order was read. The order is no longer due, unless a newer report came meanwhile.
 * @param before the values before the party was asked
 * @param version of the answer; absent where the party had none
 */
export async function noteReport(
  sql: Sql,
  order: OrderName,
  before: KnownOrder,
  version: number | undefined,
): Promise<void> {
  if (version === undefined && before.dueBy === null) return;
  await sql.run(
    orders()
      .insert({ ...order, version: version ?? null, dueBy: null })
      .onConflict(['party', 'ref'])
      .merge({
        version: raw('greatest(party_orders.version, excluded.version)'),
        dueBy: raw('nullif(party_orders.due_by, ?::timestamptz(3))', [before.dueBy]),
      }),
  );
}

/**
 * Clears the due time of an order that is not followed any more. A report checks under the record's lock whether the
 * order has ended.
 */
export async function noteEnded(tx: Tx, party: OrderParty, ref: string): Promise<void> {
  await tx.run(orders().where({ party, ref }).update({ dueBy: null }));
}

/** Orders that are due, by their subject. */
export const overdueOrders = (party: OrderParty) =>
  overdueIn<Pick<OrderName, 'ref' | 'subject' | 'tenantId'>>('party_orders', {
    columns: ['ref', 'subject', 'tenantId'],
    dueBy: 'due_by',
    open: `party = '${party}'`,
    key: 'subject',
  });
