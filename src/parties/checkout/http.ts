import { z } from 'zod';
import { formatAmount } from '../../kernel/money/money';
import { decimal, parseAnswer, verifiedMessage } from '../protocol/answers';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { CheckoutParty, CheckoutState } from './port';

const made = z.object({ sessionId: z.string().min(1), redirectUrl: z.url({ normalize: true }) });

const state = z.object({
  sessionId: z.string().min(1),
  status: z.enum(['open', 'paid', 'settled', 'failed', 'cancelled', 'expired']),
  paid: z.object({ amount: decimal, currency: z.string() }).optional(),
  risk: z.enum(['normal', 'review']),
  failureCode: z.string().max(64).optional(),
  refunds: z.array(
    z.object({ id: z.string(), amount: decimal, status: z.enum(['pending', 'succeeded', 'failed']) }),
  ),
  disputes: z.array(z.object({ id: z.string(), amount: decimal, status: z.enum(['open', 'won', 'lost']) })),
});

const refunded = z.object({
  refundId: z.string().min(1),
  status: z.enum(['pending', 'succeeded', 'failed']),
});

const callback = z.object({ id: z.string().min(1), sessionId: z.string().min(1) });

/** The hosted checkout that speaks our own protocol: the sandbox's, and any that is made to. */
export function createHttpCheckout(options: AdapterOptions): CheckoutParty {
  const { secret, now = () => new Date() } = options;
  const client = partyClient(options);
  return {
    async createSession({ key, amount, expiresAt, ...session }) {
      const body = {
        ...session,
        amount: formatAmount(amount, session.currency),
        expiresAt: expiresAt.toISOString(),
      };
      return parseAnswer(made, await client.post('/sessions', body, key));
    },
    async getSession(sessionId): Promise<CheckoutState> {
      return parseAnswer(state, await client.get(`/sessions/${encodeURIComponent(sessionId)}`));
    },
    async refund({ key, sessionId, amount, currency }) {
      const path = `/sessions/${encodeURIComponent(sessionId)}/refunds`;
      const body = { amount: formatAmount(amount, currency), currency };
      return parseAnswer(refunded, await client.post(path, body, key));
    },
    verify(raw, headers) {
      const message = verifiedMessage(callback, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, sessionId: message.sessionId };
    },
  };
}
