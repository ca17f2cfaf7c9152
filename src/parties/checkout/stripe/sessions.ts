import type Stripe from 'stripe';
import { PartyRefused } from '../../../process/party-errors';
import { partyErrorOf } from './errors';
import { EXPANDED, isOurs } from './word';

/** A request that changes nothing. @throws as {@link partyErrorOf} */
export const reading = <T>(request: () => Promise<T>) => withPartyErrors(request, false);
/** A request that may have changed something though it fails. @throws as {@link partyErrorOf} */
export const changing = <T>(request: () => Promise<T>) => withPartyErrors(request, true);

async function withPartyErrors<T>(request: () => Promise<T>, changing: boolean): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw partyErrorOf(error, changing);
  }
}

/** What is read of Stripe's sessions, and of the payments behind them. */
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
    /** A session as it is now. Half an hour is the least that a page lives by itself: ours may be over before. */
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
    /** What has gone back, or is asked back, of a payment. */
    async movements(intent: string) {
      const list = { payment_intent: intent, limit: 100 };
      const [refunds, disputes] = await Promise.all([
        reading(() => stripe.refunds.list(list).autoPagingToArray({ limit: 1_000 })),
        reading(() => stripe.disputes.list(list).autoPagingToArray({ limit: 1_000 })),
      ]);
      return { refunds: refunds.reverse(), disputes: disputes.reverse() };
    },
    /**
     * The session that an event is about; null when it is none of ours.
     * @param known sessions of payments that were asked for before
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

/** What events are about, as far as it is read. */
interface EventObject {
  object?: string;
  id?: string;
  metadata?: Stripe.Metadata | null;
  payment_intent?: string | { id: string } | null;
}

export const idOf = (field: string | { id: string } | null | undefined): string | undefined =>
  typeof field === 'string' ? field : (field?.id ?? undefined);
