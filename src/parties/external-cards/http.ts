import { z } from 'zod';
import { orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import { partyName } from '../protocol/stored';
import type { CardOrderAnswer, ExternalCards } from './port';
import { cardOrderWord } from './word';

const answerSchema = cardOrderWord.extend({
  key: partyName,
  actionUrl: z.url({ protocol: /^https?$/, normalize: true }).optional(),
});

const callbackSchema = z.object({ id: partyName, key: partyName });

const PATHS = { topup: '/charges', withdrawal: '/pushes' } as const;

/** The acquirer over our own small JSON protocol: `POST /charges`, `POST /pushes`, `GET /orders/{key}`, `GET /changes`. */
export function createHttpExternalCards(options: AdapterOptions): ExternalCards {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;
  const asked = {
    async order(kind, { key, token, amount, currency, merchant, returnUrl, expiresAt, callbackUrl }) {
      const body = {
        ...{ token, amount: amount.toFixed(), currency, merchant, returnUrl, callbackUrl },
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
      const message = verifiedMessage(callbackSchema, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, ref: message.key, key: message.key };
    },
  };
}

/** An answer about another order is none; neither is one that requires action and names no page. */
function answerOf(asked: string, answer: unknown): CardOrderAnswer {
  const {
    key: _,
    actionUrl,
    ...word
  } = parseAnswer(
    answerSchema,
    answer,
    (told) => told.key === asked && (told.status !== 'requires_action' || told.actionUrl !== undefined),
  );
  return { word, ...(actionUrl === undefined ? {} : { actionUrl }) };
}
