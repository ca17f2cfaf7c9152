import { processorOrders } from '../cards/orders/orders';
import type { Sql, Tx } from '../kernel/db/database';
import type { CallingParty, WatchedParty } from '../kernel/outbox/queues';
import type { PartyOrders } from '../parties/orders/party-orders';
import { reviewOrders } from '../people/cardholders/review/submission';
import type { Services } from '../services';
import { tellOf } from '../transfers/discover';
import { makeUnwatchedDue } from '../transfers/engine/due';
import { transfersOfParty } from '../transfers/engine/read';

/** Whom a party's list concerns. */
export interface Listener {
  /** Of those names the ones that are known, each with the version that was heard. */
  known(sql: Sql, refs: readonly string[]): Promise<{ ref: string; version: number | null }[]>;
  /** Says "look" to whoever the names concern, and keeps that it was said. Names of nobody are shown, or looked into. */
  tell(services: Services, tx: Tx, refs: readonly string[]): Promise<unknown>;
  /** Says it to the next few of those to whom {@link Listener.tell} has not said it at once; absent where it says it to all. */
  tellInTurn?(services: Services, tx: Tx): Promise<void>;
  /** Makes those due that rest in the trust of the list; absent where all are asked for at intervals beside it. */
  askInstead?(tx: Tx, at: Date): Promise<void>;
}

const transfersOf = (party: CallingParty): Listener => ({
  known: async (sql, refs) =>
    (await transfersOfParty(sql, party, refs)).map(({ partyRef, version }) => ({ ref: partyRef, version })),
  tell: (services, tx, refs) => tellOf(services, tx, party, refs),
  askInstead: (tx, at) => makeUnwatchedDue(tx, party, at),
});

const ordersOf = ({ known, tell, tellInTurn }: PartyOrders): Listener => ({
  known,
  tell: (services, tx, refs) => tell(services, tx, refs, 'list'),
  tellInTurn,
});

/** A party each: what moves money concerns transfers, the others the orders that they were given. */
export const LISTENERS: Readonly<Record<WatchedParty, Listener>> = {
  checkout: transfersOf('checkout'),
  payouts: transfersOf('payouts'),
  externalCards: transfersOf('externalCards'),
  bank: transfersOf('bank'),
  exchange: transfersOf('exchange'),
  cardProcessor: ordersOf(processorOrders),
  cardholderReview: ordersOf(reviewOrders),
};
