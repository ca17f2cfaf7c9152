import type Stripe from 'stripe';
import type { StripeSettings } from '../../../kernel/config/stripe';
import { PartyAway, PartyRefused, UnreadableAnswer } from '../../../process/party-errors';
import { orUnknown } from '../../protocol/answers';
import { toMinorUnits } from '../../stripe/amounts';
import { createStripeClient, type StripeClientOptions } from '../../stripe/client';
import { verifiedEvent } from '../../stripe/event';
import { changing, idOf, ORIGIN, reading } from '../../stripe/requests';
import type { CheckoutParty, CheckoutRefundOrder, NewCheckoutSession } from '../port';
import type { CheckoutWord } from '../word';
import { changesOf } from './events';
import { createSessions, type Sessions } from './sessions';
import { refundStatus, wordOf } from './word';

export interface StripeOptions extends StripeSettings, Pick<StripeClientOptions, 'server'> {
  now?: () => Date;
}

/**
 * Stripe Checkout, for cards only. A payment is settled when its money is available in the account's balance. Stripe's
 * pages live between half an hour and a day. A session whose deposit has expired is therefore expired when we next read
 * it.
 */
export function createStripeCheckout(options: StripeOptions): CheckoutParty {
  const { webhookSecret, now = () => new Date() } = options;
  const stripe = createStripeClient(options);
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
      const event = verifiedEvent(stripe, raw, headers, { secrets: [webhookSecret], at: now() });
      if (!event) return undefined;
      const sessionId = await sessions.idFor(event);
      return { externalId: event.id, ref: sessionId, sessionId };
    },
  };
}

async function wordOfSession(sessions: Sessions, sessionId: string): Promise<CheckoutWord> {
  const session = await sessions.present(sessionId);
  if (session.id !== sessionId) throw new UnreadableAnswer('the party answered with another session');
  const intent = idOf(session.payment_intent);
  const none = { refunds: [], disputes: [] };
  return wordOf({ session, ...(intent === undefined ? none : await sessions.movements(intent)) });
}

/** @throws UnreadableAnswer the answer names no page. The session exists, and the same key returns it again. */
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
  // Stripe forgets keys after a day or more, so the refund's metadata holds our key as well.
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
 * Parameters that depend only on the order, because Stripe refuses a key that returns with another request.
 * `expires_at` is left out, because it must be at least half an hour from the time of the request.
 * @throws PartyRefused
 */
function sessionParams(asked: NewCheckoutSession): Stripe.Checkout.SessionCreateParams {
  const { method, amount, currency, merchant, depositId, returnUrl, expiresAt } = asked;
  if (method !== 'card') throw new PartyRefused('method_unavailable');
  const mark = { origin: ORIGIN, deposit: depositId };
  return {
    mode: 'payment',
    allowed_payment_method_types: ['card'],
    // Stripe charges the quoted amount in the quoted currency.
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
