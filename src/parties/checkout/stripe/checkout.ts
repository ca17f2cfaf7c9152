import type { IncomingHttpHeaders } from 'node:http';
import Stripe from 'stripe';
import type { StripeSettings } from '../../../kernel/stripe-settings';
import { PartyAway, PartyRefused, UnreadableAnswer, UnreadableCallback } from '../../../process/party-errors';
import { orUnknown } from '../../protocol/answers';
import type { CheckoutParty, CheckoutRefundOrder, NewCheckoutSession } from '../port';
import type { CheckoutWord } from '../word';
import { toMinorUnits } from './amounts';
import { changesOf, isReadable } from './events';
import { changing, createSessions, idOf, reading, type Sessions } from './sessions';
import { ORIGIN, refundStatus, wordOf } from './word';

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
      return changing(async () =>
        madeOf(await stripe.checkout.sessions.create(params, { idempotencyKey: asked.key })),
      );
    },
    ask: (sessionId) => orUnknown(reading(() => wordOfSession(sessions, sessionId))),
    refund: (order) => giveBack(stripe, sessions, order),
    changes: changesOf(stripe, sessions, now),
    settlesSilently: true,
    async verify(raw, headers) {
      const event = verified(stripe, raw, headers, webhookSecret, now());
      if (!event) return undefined;
      const sessionId = await sessions.idFor(event);
      return { externalId: event.id, ref: sessionId, sessionId };
    },
  };
}

async function wordOfSession(sessions: Sessions, sessionId: string): Promise<CheckoutWord> {
  const session = await sessions.present(sessionId);
  if (session.id !== sessionId) throw new UnreadableAnswer('the party answers with another session');
  const intent = idOf(session.payment_intent);
  const none = { refunds: [], disputes: [] };
  return wordOf({ session, ...(intent === undefined ? none : await sessions.movements(intent)) });
}

/** @throws UnreadableAnswer where the answer names no page: it was made, and the same key gives it again */
function madeOf({ id, url }: Stripe.Checkout.Session) {
  if (typeof id !== 'string' || typeof url !== 'string' || !URL.canParse(url)) throw new UnreadableAnswer();
  return { sessionId: id, redirectUrl: url };
}

async function giveBack(stripe: Stripe, sessions: Sessions, order: CheckoutRefundOrder) {
  const { key, sessionId, amount, currency } = order;
  const session = await orUnknown(sessions.retrieve(sessionId));
  if (session === 'unknown_to_party') throw new PartyAway('the party does not know the session');
  const intent = idOf(session.payment_intent);
  if (intent === undefined) throw new PartyRefused('not_paid');
  if (session.currency?.toUpperCase() !== currency) throw new PartyRefused('wrong_currency');
  // The party forgets keys after a day or more; what was made under ours is known by its mark.
  const { refunds } = await sessions.movements(intent);
  const known = refunds.find(({ metadata }) => metadata?.['key'] === key);
  const params = { payment_intent: intent, amount: toMinorUnits(amount, currency), metadata: { key } };
  return changing(async () => {
    const refund = known ?? (await stripe.refunds.create(params, { idempotencyKey: key }));
    if (typeof refund.id !== 'string') throw new UnreadableAnswer();
    return { refundId: refund.id, status: refundStatus(refund) };
  });
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

/** Nothing where the signature is wrong or too old. @throws UnreadableCallback it is signed, and is no event */
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
    const time = at.getTime();
    const event = stripe.webhooks.constructEvent(raw, signature, secret, TOLERANCE_SECONDS, undefined, time);
    if (!isReadable(event)) throw new UnreadableCallback();
    return event;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return undefined;
    throw error instanceof SyntaxError ? new UnreadableCallback() : error;
  }
}
