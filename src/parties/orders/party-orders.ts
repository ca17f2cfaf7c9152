import type { Sql, Tx } from '../../kernel/db/database';
import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { reconcilable, type Watched } from '../../process/overdue';
import { orderName } from './advance';
import type { AnyOrderKind, OrderServices } from './kind';
import {
  heardVersions,
  keepForTurn,
  type OrderName,
  type OrderParty,
  overdueOrders,
  type ToldOrder,
  tellInTurn,
  tellOrders,
} from './told-orders';

/** `ended`: the order is known, and nobody asks for it any more. `unknown`: no order of ours has the key; a person is shown. */
export type Told = 'told' | 'ended' | 'unknown';

type Telling = Pick<OrderServices, 'commands' | 'now' | 'log' | 'observeUnusable'>;

/** What a party that only takes our orders tells of them. */
export interface PartyOrders {
  readonly party: OrderParty;
  /** Of those keys the ones that were heard of, each with its version. */
  known(sql: Sql, keys: readonly string[]): Promise<{ ref: string; version: number | null }[]>;
  /**
   * Tells the workflows of those orders to look. An order that has ended is told too where its kind hears of contradictions, in its
   * turn where a list names it: a list may name all orders that there ever were.
   */
  tell(services: Telling, tx: Tx, keys: readonly string[], by: 'callback' | 'list'): Promise<Told[]>;
  /** The same of a callback. @returns its outcome */
  called(services: Telling, tx: Tx, callback: { ref: string | null }): Promise<Told | 'not_ours'>;
  /** Tells the next few of the orders that have ended and were listed. */
  tellInTurn(services: Pick<Telling, 'commands' | 'now'>, tx: Tx): Promise<void>;
  /** What was told is asked for, whatever Temporal has lost. */
  readonly processes: Watched;
}

export function partyOrders(party: OrderParty, kinds: readonly AnyOrderKind[]): PartyOrders {
  const kindOf = (key: string) => kinds.find(({ keys }) => keys.test(key));

  /** Locked where nobody asks for an order after its end: else it might end while it is told, and stay due for ever. */
  async function orderOf(tx: Tx, key: string): Promise<ToldOrder | undefined> {
    const kind = kindOf(key);
    const id = kind?.keys.exec(key)?.[1];
    if (!kind || id === undefined) return undefined;
    const row = await (kind.afterEnd ? kind.find(tx, id) : kind.lock(tx, id));
    if (!row) return undefined;
    const hasEnded = !kind.isOpen(row) || kind.keyOf(row) !== key;
    return { ...orderName(kind, row), ref: key, look: kind.process.look(row), hasEnded };
  }

  /** An order that was told and that nobody has asked for since. */
  function lookAt({ ref, subject: id, tenantId }: Ordered): WorkflowCommand {
    const kind = kindOf(ref);
    if (!kind) throw new Error(`no kind of orders has the key ${ref}`);
    return kind.process.look({ id, tenantId });
  }

  const tell: PartyOrders['tell'] = async (services, tx, keys, by) => {
    const [atOnce, inTurn, unknown, told]: [ToldOrder[], ToldOrder[], string[], Told[]] = [[], [], [], []];
    // In one order, so that two that tell of many at once wait for one another.
    for (const key of [...keys].sort()) {
      const order = await orderOf(tx, key);
      const isAsked = !order?.hasEnded || kindOf(key)?.afterEnd !== undefined;
      if (!order) unknown.push(key);
      else if (isAsked) (order.hasEnded && by === 'list' ? inTurn : atOnce).push(order);
      told.push(!order ? 'unknown' : isAsked ? 'told' : 'ended');
    }
    await keepForTurn(tx, inTurn);
    await tellOrders(services, tx, party, { orders: atOnce, unknown });
    return told;
  };

  return {
    party,
    known: (sql, keys) => heardVersions(sql, party, keys),
    tell,
    async called(services, tx, { ref }) {
      if (ref === null) return 'not_ours';
      const [outcome = 'unknown'] = await tell(services, tx, [ref], 'callback');
      return outcome;
    },
    tellInTurn: (services, tx) => tellInTurn(services, tx, party, lookAt),
    processes: reconcilable<Ordered>({
      name: `orders told: ${party}`,
      processes: kinds.map(({ process }) => process),
      overdue: overdueOrders(party),
      drive: lookAt,
    }),
  };
}

type Ordered = Pick<OrderName, 'ref' | 'subject' | 'tenantId'>;
