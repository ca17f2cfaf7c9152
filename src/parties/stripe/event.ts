import type { IncomingHttpHeaders } from 'node:http';
import Stripe from 'stripe';
import { UnreadableCallback } from '../../process/party-errors';

const TOLERANCE_SECONDS = 300;

export interface EventVerification {
  /** The secret of each endpoint that is registered at Stripe. */
  secrets: readonly string[];
  at: Date;
}

/**
 * Verifies a webhook's event by the helper of Stripe's library.
 * @returns undefined where the signature is wrong or too old
 * @throws UnreadableCallback the message is signed but no event
 */
export function verifiedEvent(
  stripe: Stripe,
  raw: Buffer,
  headers: IncomingHttpHeaders,
  { secrets, at }: EventVerification,
): Stripe.Event | undefined {
  const signature = headers['stripe-signature'];
  if (typeof signature !== 'string') return undefined;
  for (const secret of secrets) {
    const event = signedBy(stripe, raw, signature, { secret, at });
    if (event === undefined) continue;
    if (!isReadable(event)) throw new UnreadableCallback();
    return event;
  }
  return undefined;
}

function signedBy(
  stripe: Stripe,
  raw: Buffer,
  signature: string,
  { secret, at }: { secret: string; at: Date },
): Stripe.Event | null | undefined {
  try {
    return stripe.webhooks.constructEvent(raw, signature, secret, TOLERANCE_SECONDS, undefined, at.getTime());
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return undefined;
    throw error instanceof SyntaxError ? new UnreadableCallback() : error;
  }
}

export function isReadable(event: unknown): event is Stripe.Event {
  const { id, data } = (event ?? {}) as { id?: unknown; data?: { object?: unknown } | null };
  return typeof id === 'string' && typeof data?.object === 'object' && data.object !== null;
}

/** Names an unreadable event for people, without its content. */
export function nameOf(event: unknown): string {
  const { id } = (event ?? {}) as { id?: unknown };
  return typeof id === 'string' && /^\w{1,100}$/.test(id) ? id : 'an event without a name';
}
