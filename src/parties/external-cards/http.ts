import type { z } from 'zod';
import { orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { CardOrderAnswer, ExternalCards } from './port';
import { cardCallback, type cardOrder, cardOrderAnswer } from './protocol';

const PATHS = { topup: '/charges', withdrawal: '/pushes' } as const;

/** Adapter of the acquirer, over our protocol (`protocol.ts`). */
export function createHttpExternalCards(options: AdapterOptions): ExternalCards {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;
  const asked = {
    async order(kind, { key, token, amount, currency, merchant, returnUrl, expiresAt, callbackUrl }) {
      const body: z.input<typeof cardOrder> = {
        token,
        amount: amount.toFixed(),
        currency,
        merchant,
        returnUrl,
        callbackUrl,
        expiresAt: expiresAt.toISOString(),
      };
      return answerOf(key, await client.post(PATHS[kind], body, key));
    },
    ask: (key) =>
      orUnknown(client.get(`/orders/${encodeURIComponent(key)}`).then((answer) => answerOf(key, answer))),
  } satisfies Pick<ExternalCards, 'order' | 'ask'>;
  return {
    ...asked,
    changes: changesOver(client),
    verify(raw, headers) {
      const message = verifiedMessage(cardCallback, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, ref: message.key, key: message.key };
    },
  };
}

/** Rejects an answer about another order, and one that requires action without a page. */
function answerOf(asked: string, answer: unknown): CardOrderAnswer {
  const {
    key: _,
    actionUrl,
    ...word
  } = parseAnswer(
    cardOrderAnswer,
    answer,
    (order) => order.key === asked && (order.status !== 'requires_action' || order.actionUrl !== undefined),
  );
  return { word, ...(actionUrl === undefined ? {} : { actionUrl }) };
}
