import { anyOf, raw, table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import type { Commands, WorkflowCommand } from '../../kernel/outbox/commands';
import { overdueIn } from '../../process/overdue';
import { type Showing, showUnknown } from './unknown-name';

/**
 * What a party that only takes our orders tells of them, by callbacks and by its list. That one was told of stands here until it was
 * asked for: a signal may be lost. The orders of transfers stand in their own rows.
 */

/** The parties whose orders are kept here, as `Services.parties` has them. */
export type OrderParty = 'cardProcessor' | 'cardholderReview';

/** An order of ours, by the key that the party was given. */
export interface OrderName {
  party: OrderParty;
  ref: string;
  /** The id that the workflow is named by which asks for it. */
  subject: string;
  tenantId: string;
}

/** One that the party has told of, and whoever asks what has become of it. */
export interface ToldOrder extends OrderName {
  look: WorkflowCommand;
  /** What became of it is known: it is asked for to find a contradiction, which has time. */
  hasEnded?: boolean;
}

const orders = () => table('party_orders');

/** What telling needs of the services. */
type Telling = Showing & { commands: Pick<Commands, 'append'>; now(): Date };

/**
 * Tells whoever leads those orders to look, and keeps that it was told. A key of none of ours is
 * shown to a person.
 */
export async function tellOrders(
  services: Telling,
  tx: Tx,
  party: OrderParty,
  told: { orders: readonly ToldOrder[]; unknown: readonly string[] },
): Promise<void> {
  await makeDue(tx, told.orders, services.now());
  await showUnknown(services, tx, party, told.unknown);
  services.commands.append(
    tx,
    told.orders.map(({ look }) => look),
  );
}

/** As rows, each once; in one order: two that tell of many at once wait for one another. */
const inOrder = (told: readonly ToldOrder[]): OrderName[] =>
  [...new Map(told.map((order) => [order.ref, order])).values()]
    .sort((one, other) => (one.ref < other.ref ? -1 : 1))
    .map(({ party, ref, subject, tenantId }) => ({ party, ref, subject, tenantId }));

/** Each telling sets another `due_by`, never a later one, so that a step sees whether it was told since it asked. */
async function makeDue(tx: Tx, told: readonly ToldOrder[], at: Date): Promise<void> {
  if (told.length === 0) return;
  const rows = inOrder(told).map((order) => ({ ...order, dueBy: at }));
  const earlier = raw(`least(party_orders.due_by - interval '1 millisecond', excluded.due_by)`);
  await tx.run(orders().insert(rows).onConflict(['party', 'ref']).merge({ dueBy: earlier }));
}

/** So many are told in one turn of the watcher, three seconds each: as many a second as a processor and Temporal do not feel. */
const A_TURN = 15;

/**
 * Keeps that a list has told of orders that have ended, and leaves it to {@link tellInTurn} to tell their workflows: a list that is
 * read from its beginning names every order that was ever given.
 */
export async function keepForTurn(tx: Tx, ended: readonly ToldOrder[]): Promise<void> {
  if (ended.length === 0) return;
  const rows = inOrder(ended).map((order) => ({ ...order, inTurn: true }));
  await tx.run(orders().insert(rows).onConflict(['party', 'ref']).merge(['in_turn']));
}

/**
 * Tells the next few of those that {@link keepForTurn} has kept.
 * @param lookOf whoever asks what has become of one
 */
export async function tellInTurn(
  { commands, now }: Pick<Telling, 'commands' | 'now'>,
  tx: Tx,
  party: OrderParty,
  lookOf: (order: OrderName) => WorkflowCommand,
): Promise<void> {
  const next = orders().select('ref').where({ party, inTurn: true }).orderBy('ref').limit(A_TURN);
  const taken = orders().where({ party }).whereIn('ref', next.forUpdate().skipLocked());
  const found = await tx.run<OrderName>(
    taken.update({ inTurn: false }).returning(['party', 'ref', 'subject', 'tenantId']),
  );
  const told = found.map((order) => ({ ...order, look: lookOf(order) }));
  await makeDue(tx, told, now());
  commands.append(
    tx,
    told.map(({ look }) => look),
  );
}

/** What was heard of an order, and when it must have been asked for, as it stands before the party is asked. */
export interface HeardOrder {
  version: number | null;
  dueBy: Date | null;
}

export async function heardOrder(sql: Sql, party: OrderParty, ref: string): Promise<HeardOrder> {
  const [row] = await sql.run<HeardOrder>(orders().select('version', 'dueBy').where({ party, ref }));
  return row ?? { version: null, dueBy: null };
}

/** Versions that were heard, of those keys. */
export function heardVersions(
  sql: Sql,
  party: OrderParty,
  refs: readonly string[],
): Promise<{ ref: string; version: number | null }[]> {
  return sql.run(orders().select('ref', 'version').where({ party }).where(anyOf('ref', refs)));
}

/**
 * The party was asked for it, and what it said was taken in: it is due no more, unless it was told of since.
 * @param before as it stood before the party was asked
 * @param version of its word; absent where it has said none
 */
export async function noteHeard(
  sql: Sql,
  order: OrderName,
  before: HeardOrder,
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

/** Nobody asks for it any more, whatever was told of it. Who tells of it looks under the lock of its record whether it has ended. */
export async function noteEnded(tx: Tx, party: OrderParty, ref: string): Promise<void> {
  await tx.run(orders().where({ party, ref }).update({ dueBy: null }));
}

/** Orders that should have been asked for by now, by their subject. */
export const overdueOrders = (party: OrderParty) =>
  overdueIn<Pick<OrderName, 'ref' | 'subject' | 'tenantId'>>('party_orders', {
    columns: ['ref', 'subject', 'tenantId'],
    dueBy: 'due_by',
    open: `party = '${party}'`,
    key: 'subject',
  });
