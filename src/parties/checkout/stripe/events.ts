import type Stripe from 'stripe';
import type { PartyChange, ReadChanges } from '../../protocol/changes';
import { changesFromEvents } from '../../stripe/event-list';
import type { Sessions } from './sessions';

/** Events of sessions, payments, refunds and disputes. */
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

/** Lists the sessions of ours that events are about. */
export const changesOf = (stripe: Stripe, sessions: Sessions, now: () => Date): ReadChanges =>
  changesFromEvents(stripe, {
    types: TYPES,
    now,
    async changesIn(events) {
      const changes: PartyChange[] = [];
      const known = new Map<string, string | null>();
      for (const event of events) {
        const ref = await sessions.idFor(event, known);
        if (ref !== null) changes.push({ id: event.id, ref });
      }
      return changes;
    },
  });
