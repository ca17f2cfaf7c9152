import type { Sql, Tx } from '../../kernel/db/database';
import { existsSign, type Sign } from '../../kernel/db/lookout';
import type { WorkflowCommand } from '../../kernel/outbox/commands';
import type { OrderParty } from '../../kernel/parties';
import { reconcilable, type Watched } from '../../process/overdue';
import { orderName } from './advance';
import type { AnyOrderKind, OrderServices } from './kind';
import {
  keepEndedForTurn,
  knownVersions,
  type OrderName,
  overdueOrders,
  type ReportedOrder,
  wakeInTurn,
  wakeOrders,
} from './reported-orders';

/**
 * `ended`: a known order that is not followed any more. `unknown`: no order of ours has the key, and a person is shown
 * it.
 */
export type ReportOutcome = 'told' | 'ended' | 'unknown';

type ReportServices = Pick<OrderServices, 'commands' | 'now' | 'log' | 'observeUnusable'>;

/** The reports of a party about our orders, where the party takes orders and starts nothing itself. */
export interface PartyOrders {
  readonly party: OrderParty;
  /** The last known version of each of these keys that a report has named. */
  known(sql: Sql, keys: readonly string[]): Promise<{ ref: string; version: number | null }[]>;
  /**
   * Wakes the workflows of these orders. A list may name every order that ever existed, so it wakes ended orders in
   * turn, a few at a time. Ended orders of a kind without `afterEnd` are skipped.
   */
  receive(
    services: ReportServices,
    tx: Tx,
    keys: readonly string[],
    by: 'callback' | 'list',
  ): Promise<ReportOutcome[]>;
  /** Handles one callback. @returns its outcome */
  called(
    services: ReportServices,
    tx: Tx,
    callback: { ref: string | null },
  ): Promise<ReportOutcome | 'not_ours'>;
  /** Whether a list has named ended orders that were not woken yet. */
  readonly inTurn: Sign;
  /** Wakes the next few of them. @returns how many */
  wakeInTurn(services: Pick<ReportServices, 'commands' | 'now'>, tx: Tx): Promise<number>;
  /** Finds reported orders whose wake-up was lost, even if Temporal has lost everything. */
  readonly processes: Watched;
}

export function partyOrders(party: OrderParty, kinds: readonly AnyOrderKind[]): PartyOrders {
  const kindOf = (key: string) => kinds.find(({ keys }) => keys.test(key));

  /** Locks a record whose kind ignores ended orders. Otherwise the order could end meanwhile and stay due for ever. */
  async function orderOf(tx: Tx, key: string): Promise<ReportedOrder | undefined> {
    const kind = kindOf(key);
    const id = kind?.keys.exec(key)?.[1];
    if (!kind || id === undefined) return undefined;
    const row = await (kind.afterEnd ? kind.find(tx, id) : kind.lock(tx, id));
    if (!row) return undefined;
    const hasEnded = !kind.isOpen(row) || kind.keyOf(row) !== key;
    return { ...orderName(kind, row), ref: key, look: kind.process.look(row), hasEnded };
  }

  /** The command for an order that was reported and not read since. */
  function lookAt({ ref, subject: id, tenantId }: Ordered): WorkflowCommand {
    const kind = kindOf(ref);
    if (!kind) throw new Error(`no kind of orders has the key ${ref}`);
    return kind.process.look({ id, tenantId });
  }

  const receive: PartyOrders['receive'] = async (services, tx, keys, by) => {
    const [atOnce, inTurn, unknown, outcomes]: [ReportedOrder[], ReportedOrder[], string[], ReportOutcome[]] =
      [[], [], [], []];
    // In one order, so that two concurrent reports of many orders wait for each other without a deadlock.
    for (const key of [...keys].sort()) {
      const order = await orderOf(tx, key);
      const isAsked = !order?.hasEnded || kindOf(key)?.afterEnd !== undefined;
      if (!order) unknown.push(key);
      else if (isAsked) (order.hasEnded && by === 'list' ? inTurn : atOnce).push(order);
      outcomes.push(!order ? 'unknown' : isAsked ? 'told' : 'ended');
    }
    await keepEndedForTurn(tx, inTurn);
    await wakeOrders(services, tx, party, { orders: atOnce, unknown });
    return outcomes;
  };

  return {
    party,
    known: (sql, keys) => knownVersions(sql, party, keys),
    receive,
    async called(services, tx, { ref }) {
      if (ref === null) return 'not_ours';
      const [outcome = 'unknown'] = await receive(services, tx, [ref], 'callback');
      return outcome;
    },
    inTurn: existsSign(
      `ended orders of ${party}`,
      `from party_orders where party = '${party}' and in_turn order by ref`,
    ),
    wakeInTurn: (services, tx) => wakeInTurn(services, tx, party, lookAt),
    processes: reconcilable<Ordered>({
      name: `orders told: ${party}`,
      processes: kinds.map(({ process }) => process),
      overdue: overdueOrders(party),
      drive: lookAt,
    }),
  };
}

type Ordered = Pick<OrderName, 'ref' | 'subject' | 'tenantId'>;
