import { z } from 'zod';
import { orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import { partyName } from '../protocol/stored';
import type { PayoutParty } from './port';
import { type PayoutWord, payoutWord } from './word';

const answerSchema = payoutWord.extend({ key: partyName });
const callbackSchema = z.object({ id: partyName, key: partyName });

/**
 * The payouts party over our JSON protocol: `POST /orders` under an `idempotency-key`, `GET /orders/{key}`, `GET /changes`,
 * and callbacks `{ id, key }` signed over their exact bytes.
 */
export function createHttpPayouts(options: AdapterOptions): PayoutParty {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;
  return {
    async order({ key, amount, ...order }) {
      return wordOf(key, await client.post('/orders', { ...order, amount: amount.toFixed() }, key));
    },
    ask: (key) =>
      orUnknown(client.get(`/orders/${encodeURIComponent(key)}`).then((answer) => wordOf(key, answer))),
    changes: changesOver(client),
    verify(raw, headers) {
      const message = verifiedMessage(callbackSchema, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, ref: message.key, key: message.key };
    },
  };
}

/** An answer about another order is none. */
function wordOf(asked: string, answer: unknown): PayoutWord {
  const { key: _, ...word } = parseAnswer(answerSchema, answer, ({ key }) => key === asked);
  return word;
}
