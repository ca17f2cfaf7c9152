import type { z } from 'zod';
import { formatAmount } from '../../kernel/money/money';
import { isCountable, orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { CheckoutParty } from './port';
import {
  checkoutCallback,
  madeSession,
  refundAnswer,
  type refundOrder,
  sessionAnswer,
  type sessionOrder,
} from './protocol';
import type { CheckoutWord } from './word';

/** Adapter of a hosted checkout that speaks our own protocol, such as the sandbox's. */
export function createHttpCheckout(options: AdapterOptions): CheckoutParty {
  const { secret, now = () => new Date() } = options;
  const client = partyClient(options);
  const pathOf = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}`;
  return {
    async createSession({ key, amount, expiresAt, ...session }) {
      const body: z.input<typeof sessionOrder> = {
        ...session,
        amount: formatAmount(amount, session.currency),
        expiresAt: expiresAt.toISOString(),
      };
      const { state, ...rest } = parseAnswer(madeSession, await client.post('/sessions', body, key));
      return state && isOf(rest.sessionId, state) ? { ...rest, word: wordIn(state) } : rest;
    },
    ask: (sessionId) => orUnknown(client.get(pathOf(sessionId)).then((answer) => wordOf(sessionId, answer))),
    async refund({ key, sessionId, amount, currency }) {
      const body: z.input<typeof refundOrder> = { amount: formatAmount(amount, currency), currency };
      return parseAnswer(refundAnswer, await client.post(`${pathOf(sessionId)}/refunds`, body, key));
    },
    changes: changesOver(client),
    verify(raw, headers) {
      const message = verifiedMessage(checkoutCallback, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, ref: message.sessionId, sessionId: message.sessionId };
    },
  };
}

/** Rejects an answer about another session, and one whose amounts the ledger cannot hold. */
const wordOf = (asked: string, answer: unknown): CheckoutWord =>
  wordIn(parseAnswer(sessionAnswer, answer, (state) => isOf(asked, state)));

type Answer = z.output<typeof sessionAnswer>;

const isOf = (asked: string, { sessionId, payments, refunds, disputes }: Answer): boolean =>
  sessionId === asked && [...payments, ...refunds, ...disputes].every(isCountable);

const wordIn = ({ sessionId: _, ...word }: Answer): CheckoutWord => word;
