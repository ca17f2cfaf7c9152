import type { IncomingHttpHeaders } from 'node:http';
import Stripe from 'stripe';
import type { StripeSettings } from '../../../kernel/config';
import { PartyRefused } from '../../../process/party-errors';
import type { CheckoutParty, NewCheckoutSession } from '../port';
import { toMinorUnits } from './amounts';
import { changing, createSessions, idOf, ORIGIN } from './sessions';
import { refundStatus, stateOf } from './state';

export interface StripeOptions extends StripeSettings {
  /** Another server than the party's own, for tests. */
  server?: { host: string; port: number; protocol: 'http' };
  now?: () => Date;
}

/** Shorter than any activity's time-out. What fails is asked again by the workflow, not by the client. */
const TIMEOUT_MS = 10_000;
const TOLERANCE_SECONDS = 300;

/**
 * Stripe Checkout: cards only. A payment is settled when its money is available in the account's balance. Stripe's own
 * pages live for at least half an hour and at most a day, so a session whose deposit has expired is expired when it is
 * next looked at, and none lives longer than a day.
 */
export function createStripeCheckout(options: StripeOptions): CheckoutParty {
  const { secretKey, webhookSecret, server = {}, now = () => new Date() } = options;
  const stripe = new Stripe(secretKey, {
    ...server,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const sessions = createSessions(stripe, now);
  return {
    async createSession(asked) {
      const params = sessionParams(asked);
      const session = await changing(() =>
        stripe.checkout.sessions.create(params, { idempotencyKey: asked.key }),
      );
      if (!session.url) throw new PartyRefused('no_page');
      return { sessionId: session.id, redirectUrl: session.url };
    },
    async getSession(sessionId) {
      const session = await sessions.present(sessionId);
      const intent = idOf(session.payment_intent);
      const none = { refunds: [], disputes: [] };
      return stateOf({ session, ...(intent === undefined ? none : await sessions.movements(intent)) });
    },
    async refund({ key, sessionId, amount, currency }) {
      const session = await sessions.retrieve(sessionId);
      const intent = idOf(session.payment_intent);
      if (intent === undefined) throw new PartyRefused('not_paid');
      if (session.currency?.toUpperCase() !== currency) throw new PartyRefused('wrong_currency');
      // The party forgets keys after a day or more; what was made under ours is known by its mark.
      const { refunds } = await sessions.movements(intent);
      const known = refunds.find(({ metadata }) => metadata?.['key'] === key);
      const params = { payment_intent: intent, amount: toMinorUnits(amount, currency), metadata: { key } };
      const refund = known ?? (await changing(() => stripe.refunds.create(params, { idempotencyKey: key })));
      return { refundId: refund.id, status: refundStatus(refund) };
    },
    async verify(raw, headers) {
      const event = verified(stripe, raw, headers, webhookSecret, now());
      return event && { externalId: event.id, sessionId: await sessions.idFor(event) };
    },
  };
}

/**
 * The same for the same key, whenever it is asked: the party refuses a key that comes back with another request. So there
 * is no `expires_at`, which must be at least half an hour from the asking.
 * @throws PartyRefused
 */
function sessionParams(asked: NewCheckoutSession): Stripe.Checkout.SessionCreateParams {
  const { method, amount, currency, merchant, depositId, returnUrl, expiresAt } = asked;
  if (method !== 'card') throw new PartyRefused('method_unavailable');
  const mark = { origin: ORIGIN, deposit: depositId };
  return {
    mode: 'payment',
    allowed_payment_method_types: ['card'],
    // The payer is charged what was quoted, in that currency.
    adaptive_pricing: { enabled: false },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: toMinorUnits(amount, currency),
          product_data: { name: merchant },
        },
      },
    ],
    client_reference_id: depositId,
    metadata: { ...mark, expires_at: String(Math.floor(expiresAt.getTime() / 1000)) },
    payment_intent_data: { metadata: mark },
    success_url: returnUrl,
    cancel_url: returnUrl,
  };
}

function verified(
  stripe: Stripe,
  raw: Buffer,
  headers: IncomingHttpHeaders,
  secret: string,
  at: Date,
): Stripe.Event | undefined {
  const signature = headers['stripe-signature'];
  if (typeof signature !== 'string') return undefined;
  try {
    return stripe.webhooks.constructEvent(raw, signature, secret, TOLERANCE_SECONDS, undefined, at.getTime());
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}
