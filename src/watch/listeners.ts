import { processorOrders } from '../cards/orders/orders';
import type { CardServices } from '../cards/services';
import type { Sql, Tx } from '../kernel/db/database';
import type { Sign } from '../kernel/db/lookout';
import type { WatchedParty } from '../kernel/outbox/queues';
import { CALLING_PARTIES, type CallingParty } from '../kernel/parties';
import { isReportRef } from '../parties/card-processor/report';
import type { PartyOrders } from '../parties/orders/party-orders';
import { showChangedReviews } from '../people/cardholders/review/changed';
import { reviewOrders } from '../people/cardholders/review/submission';
import type { Services } from '../services';
import { receiveReport } from '../transfers/discover';
import { makeUnwatchedDue } from '../transfers/engine/due';
import { transfersOfParty } from '../transfers/engine/read';
import { receiveScreenings } from '../transfers/screened';
import { versionsOf } from '../transfers/screening/operations';
import { type BookReports, bookNetworkReports } from './book-reports';

/** The domain that a party's list concerns. */
export interface Listener {
  /** Returns the known names, each with the last known version. */
  known(sql: Sql, refs: readonly string[]): Promise<{ ref: string; version: number | null }[]>;
  /** Makes the records of these names due and signals their workflows. Shows or investigates unknown names. */
  receive(services: Services, tx: Tx, refs: readonly string[]): Promise<unknown>;
  /** Names that are reports, to be booked and not received. Absent: the list has none. */
  reports?: {
    isReport(ref: string): boolean;
    /** Undefined where the party reports nothing. */
    booking(services: CardServices): BookReports | undefined;
  };
  /** Asks the party about records that have ended, before the page is noted. @throws PartyAway the page is read again */
  inspect?(services: Services, refs: readonly string[]): Promise<void>;
  /** Records that {@link Listener.receive} has deferred. Absent when it defers none. */
  inTurn?: {
    /** Whether there are some. */
    sign: Sign;
    /** Wakes the next few. @returns how many */
    wake(services: Services, tx: Tx): Promise<number>;
  };
  /** Makes resting records due while the list cannot be read. Absent when all records are polled anyway. */
  askInstead?(tx: Tx, at: Date): Promise<void>;
}

const transfersOf = (party: CallingParty): Listener => ({
  known: async (sql, refs) =>
    (await transfersOfParty(sql, party, refs)).map(({ partyRef, version }) => ({ ref: partyRef, version })),
  receive: (services, tx, refs) => receiveReport(services, tx, party, refs),
  askInstead: (tx, at) => makeUnwatchedDue(tx, party, at),
});

const ordersOf = ({ known, receive, inTurn, wakeInTurn }: PartyOrders): Listener => ({
  known,
  receive: (services, tx, refs) => receive(services, tx, refs, 'list'),
  inTurn: { sign: inTurn, wake: wakeInTurn },
});

/** A transfer that waits for a screening is polled anyway. */
const screenings: Listener = { known: versionsOf, receive: receiveScreenings };

/** The listener of each party: transfers for parties that move money, orders for the others. */
export const LISTENERS: Readonly<Record<WatchedParty, Listener>> = {
  ...(Object.fromEntries(CALLING_PARTIES.map((party) => [party, transfersOf(party)])) as Record<
    CallingParty,
    Listener
  >),
  cardProcessor: {
    ...ordersOf(processorOrders),
    reports: { isReport: isReportRef, booking: bookNetworkReports },
  },
  cardholderReview: { ...ordersOf(reviewOrders), inspect: showChangedReviews },
  screening: screenings,
};
