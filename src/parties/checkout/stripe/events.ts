import type Stripe from 'stripe';
import type { ChangesPage, PartyChange, ReadChanges } from '../../protocol/changes';
import { reading, type Sessions } from './sessions';

/** Events of sessions, payments, refunds and disputes. One request may name twenty types at most. */
const TYPES = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.captured',
  'charge.updated',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'review.opened',
  'review.closed',
];

/** How long Stripe keeps events. */
const KEPT_SECONDS = 30 * 86_400;
/** Longest span of one page. The list runs backwards, so a span is read whole. */
const MAX_SPAN_SECONDS = 86_400;
/** Events of one page, so that it fits the step's time. A fuller span is shortened, except for the shortest one. */
const MAX_EVENTS = 200;
const MIN_SPAN_SECONDS = 60;
const MAX_EVENTS_OF_MIN_SPAN = 10_000;

/**
 * Reads changes from `GET /v1/events`. A cursor is the second of the last event that was read, so it outlives the event
 * itself.
 */
export function changesOf(stripe: Stripe, sessions: Sessions, now: () => Date): ReadChanges {
  async function eventsIn(from: number, to: number, limit: number): Promise<Stripe.Event[]> {
    const created = { gt: from, lte: to };
    const list = { created, types: TYPES, limit: 100 };
    const events = await reading(() => stripe.events.list(list).autoPagingToArray({ limit }));
    return events.reverse();
  }

  /** Reads the longest span from there that fits one page. */
  async function read(from: number, until: number): Promise<{ to: number; events: Stripe.Event[] }> {
    for (let span = Math.min(MAX_SPAN_SECONDS, until - from); ; span = Math.floor(span / 4)) {
      const isShortest = span <= MIN_SPAN_SECONDS;
      const events = await eventsIn(from, from + span, isShortest ? MAX_EVENTS_OF_MIN_SPAN : MAX_EVENTS);
      if (isShortest || events.length < MAX_EVENTS) return { to: from + span, events };
    }
  }

  return async (after) => {
    const until = Math.floor(now().getTime() / 1000);
    const from = Math.max(placeOf(after), until - KEPT_SECONDS);
    const { to, events } = await read(from, until);
    const more = to < until;
    // At the end of the list the cursor stays at the last event, so that events listed late are still read.
    const last = more ? to : (events.at(-1)?.created ?? (after === null ? from : placeOf(after)));
    return { ...(await namedChanges(sessions, events)), next: String(last), more };
  };
}

const placeOf = (after: string | null): number =>
  after !== null && /^\d{1,12}$/.test(after) ? Number(after) : 0;

/** The events of our sessions. Unreadable events are reported by id. */
async function namedChanges(
  sessions: Sessions,
  events: readonly Stripe.Event[],
): Promise<Pick<ChangesPage, 'changes' | 'unreadable'>> {
  const changes: PartyChange[] = [];
  const unreadable: string[] = [];
  const known = new Map<string, string | null>();
  for (const event of events) {
    if (!isReadable(event)) {
      unreadable.push(nameOf(event));
      continue;
    }
    const ref = await sessions.idFor(event, known);
    if (ref !== null) changes.push({ id: event.id, ref });
  }
  return { changes, unreadable };
}

export function isReadable(event: unknown): event is Stripe.Event {
  const { id, data } = (event ?? {}) as { id?: unknown; data?: { object?: unknown } | null };
  return typeof id === 'string' && typeof data?.object === 'object' && data.object !== null;
}

function nameOf(event: unknown): string {
  const { id } = (event ?? {}) as { id?: unknown };
  return typeof id === 'string' && /^\w{1,100}$/.test(id) ? id : 'an event without a name';
}
