import type { z } from 'zod';
import { orAway, orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { ExchangeParty } from './port';
import {
  balancesAnswer,
  exchangeCallback,
  type exchangeOrder,
  exchangeOrderAnswer,
  withdrawalAnswer,
  type withdrawalOrder,
} from './protocol';

/** Adapter of the exchange, over our protocol (`protocol.ts`). */
export function createHttpExchange(options: AdapterOptions): ExchangeParty {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;
  const path = (kind: 'orders' | 'withdrawals', key: string) =>
    `/${kind}/${encodeURIComponent(key)}` as const;
  return {
    async order({ key, from, to, amount, minReceive, callbackUrl }) {
      const body: z.input<typeof exchangeOrder> = {
        from,
        to,
        amount: amount.toFixed(),
        callbackUrl,
        ...(minReceive && { minReceive: minReceive.toFixed() }),
      };
      return wordIn(exchangeOrderAnswer, key, await client.post('/orders', body, key));
    },
    askOrder: (key) =>
      orUnknown(client.get(path('orders', key)).then((answer) => wordIn(exchangeOrderAnswer, key, answer))),
    async withdraw({ key, amount, currency, destination, callbackUrl }) {
      const body: z.input<typeof withdrawalOrder> = {
        amount: amount.toFixed(),
        currency,
        destination: { ...destination },
        callbackUrl,
      };
      return wordIn(withdrawalAnswer, key, await client.post('/withdrawals', body, key));
    },
    askWithdrawal: (key) =>
      orUnknown(client.get(path('withdrawals', key)).then((answer) => wordIn(withdrawalAnswer, key, answer))),
    balances: async () =>
      parseAnswer(balancesAnswer, await orAway(client.get('/balances'), 'its balances'), isOnePerCurrency),
    changes: changesOver(client),
    verify(raw, headers) {
      const message = verifiedMessage(exchangeCallback, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, ref: message.key, key: message.key };
    },
  };
}

/** Rejects an answer about another order. */
function wordIn<Answer extends { key: string }>(
  schema: z.ZodType<Answer>,
  asked: string,
  answer: unknown,
): Omit<Answer, 'key'> {
  const { key: _, ...word } = parseAnswer(schema, answer, ({ key }) => key === asked);
  return word;
}

const isOnePerCurrency = ({ balances }: z.output<typeof balancesAnswer>): boolean =>
  new Set(balances.map(({ currency }) => currency)).size === balances.length;
