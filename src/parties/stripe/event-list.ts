import type Stripe from 'stripe';
import type { ChangesPage, PartyChange, ReadChanges } from '../protocol/changes';
import { isReadable, nameOf } from './event';
import { reading } from './requests';

/** How long Stripe keeps events. */
const KEPT_SECONDS = 30 * 86_400;
/** Longest span of one page. The list runs backwards, so a span is read whole. */
const MAX_SPAN_SECONDS = 86_400;
/** Events of one page, so that it fits the step's time. A fuller span is shortened, except for the shortest one. */
const MAX_EVENTS = 200;
const MIN_SPAN_SECONDS = 60;
const MAX_EVENTS_OF_MIN_SPAN = 10_000;

export interface EventListing {
  /** At most twenty, by Stripe's limit of a request. */
  types: readonly string[];
  /** The changes that a page's readable events stand for, in their order. */
  changesIn(events: readonly Stripe.Event[]): PartyChange[] | Promise<PartyChange[]>;
  now: () => Date;
}

/**
 * Reads changes from `GET /v1/events`. A cursor is the second of the last event that was read, so it outlives the event
 * itself. Unreadable events are reported by id.
 */
export function changesFromEvents(stripe: Stripe, { types, changesIn, now }: EventListing): ReadChanges {
  async function eventsIn(from: number, to: number, limit: number): Promise<Stripe.Event[]> {
    const created = { gt: from, lte: to };
    const list = { created, types: [...types], limit: 100 };
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

  async function changesOf(events: readonly Stripe.Event[]): Promise<Omit<ChangesPage, 'next' | 'more'>> {
    const changes = await changesIn(events.filter(isReadable));
    return { changes, unreadable: events.filter((event) => !isReadable(event)).map(nameOf) };
  }

  return async (after) => {
    const until = Math.floor(now().getTime() / 1000);
    const from = Math.max(placeOf(after), until - KEPT_SECONDS);
    const { to, events } = await read(from, until);
    const more = to < until;
    // At the end of the list the cursor stays at the last event, so that events listed late are still read.
    const last = more ? to : (events.at(-1)?.created ?? (after === null ? from : placeOf(after)));
    return { ...(await changesOf(events)), next: String(last), more };
  };
}

const placeOf = (after: string | null): number =>
  after !== null && /^\d{1,12}$/.test(after) ? Number(after) : 0;
