import type Stripe from 'stripe';
import { PartyRefused } from '../../../process/party-errors';
import { changing, idOf, isOurs, reading } from '../../stripe/requests';
import { EXPANDED } from './word';

/** Reads Stripe's sessions and the payments behind them. */
export function createSessions(stripe: Stripe, now: () => Date) {
  const retrieve = (sessionId: string) =>
    reading(() => stripe.checkout.sessions.retrieve(sessionId, { expand: EXPANDED }));

  async function idOfPayment(intent: string): Promise<string | null> {
    const { data } = await reading(() => stripe.checkout.sessions.list({ payment_intent: intent, limit: 1 }));
    const [session] = data;
    return session && isOurs(session) ? session.id : null;
  }

  return {
    retrieve,
    /**
     * Reads a session, and expires it where our deposit has expired. Stripe's own expiry comes after half an hour at
     * the earliest.
     */
    async present(sessionId: string): Promise<Stripe.Checkout.Session> {
      const session = await retrieve(sessionId);
      const until = Number(session.metadata?.['expires_at'] ?? Infinity);
      if (session.status !== 'open' || now().getTime() < until * 1000) return session;
      try {
        return await changing(() => stripe.checkout.sessions.expire(session.id, { expand: EXPANDED }));
      } catch (error) {
        // It was paid a moment ago.
        if (error instanceof PartyRefused) return retrieve(session.id);
        throw error;
      }
    },
    /** The refunds and disputes of a payment. */
    async movements(intent: string) {
      const list = { payment_intent: intent, limit: 100 };
      const [refunds, disputes] = await Promise.all([
        reading(() => stripe.refunds.list(list).autoPagingToArray({ limit: 1_000 })),
        reading(() => stripe.disputes.list(list).autoPagingToArray({ limit: 1_000 })),
      ]);
      return { refunds: refunds.reverse(), disputes: disputes.reverse() };
    },
    /**
     * The session that an event is about. Null when it is not ours.
     * @param known sessions of payments that were read before
     */
    async idFor(event: Stripe.Event, known = new Map<string, string | null>()): Promise<string | null> {
      const object = event.data.object as unknown as EventObject;
      if (object.object === 'checkout.session') return isOurs(object) ? (object.id ?? null) : null;
      const intent = object.object === 'payment_intent' ? object.id : idOf(object.payment_intent);
      if (intent === undefined) return null;
      const found = known.get(intent);
      if (found !== undefined) return found;
      const sessionId = await idOfPayment(intent);
      known.set(intent, sessionId);
      return sessionId;
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;

/** The fields of an event's object that are read. */
interface EventObject {
  object?: string;
  id?: string;
  metadata?: Stripe.Metadata | null;
  payment_intent?: string | { id: string } | null;
}
