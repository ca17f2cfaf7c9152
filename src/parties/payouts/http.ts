import type { z } from 'zod';
import { orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { PayoutParty } from './port';
import { payoutAnswer, payoutCallback, type payoutOrder } from './protocol';
import type { PayoutWord } from './word';

/** Adapter of the payouts party, over our protocol (`protocol.ts`). */
export function createHttpPayouts(options: AdapterOptions): PayoutParty {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;
  return {
    async order({ key, amount, ...order }) {
      const { method, currency, destination, callbackUrl } = order;
      const body: z.input<typeof payoutOrder> = {
        method,
        amount: amount.toFixed(),
        currency,
        destination: { ...destination },
        callbackUrl,
      };
      return wordOf(key, await client.post('/orders', body, key));
    },
    ask: (key) =>
      orUnknown(client.get(`/orders/${encodeURIComponent(key)}`).then((answer) => wordOf(key, answer))),
    changes: changesOver(client),
    verify(raw, headers) {
      const message = verifiedMessage(payoutCallback, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, ref: message.key, key: message.key };
    },
  };
}

/** Rejects an answer about another order. */
function wordOf(asked: string, answer: unknown): PayoutWord {
  const { key: _, ...word } = parseAnswer(payoutAnswer, answer, ({ key }) => key === asked);
  return word;
}
