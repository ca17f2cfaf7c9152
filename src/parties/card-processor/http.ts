import { createSecretKey } from 'node:crypto';
import type { z } from 'zod';
import { PartyAway } from '../../process/party-errors';
import { orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import { verifySignature } from '../protocol/signature';
import { readProcessorMessage } from './message';
import type { CardProcessor } from './port';
import { callbackMessage, cardAnswer, closureAnswer, tokenizationAnswer } from './protocol';
import { type CardWord, type ClosureWord, sensitiveCard, type TokenizationWord } from './word';

/**
 * Adapter of a card processor, over our JSON protocol. Orders carry an `idempotency-key`: `POST /cards`, `POST
 * /cards/{reference}/closure` and `POST /cards/{reference}/tokenizations`. Their states are read by `GET /cards/{key}`,
 * `…/closure` and `…/tokenizations/{key}`. Other reads are `GET /cards/{reference}/sensitive` and `GET /changes`.
 * Callbacks `{ id, key }` are signed over their exact bytes.
 */
export function createHttpCardProcessor(options: AdapterOptions): CardProcessor {
  const client = partyClient(options);
  const { now = () => new Date() } = options;
  const secret = createSecretKey(options.secret);
  return {
    issue: async ({ key, ...order }) => cardOf(key, await client.post('/cards', order, key)),
    issuance: (key) => orUnknown(client.get(cardAt(key)).then((answer) => cardOf(key, answer))),
    close: async ({ key, reference, ...order }) =>
      closureOf(key, await client.post(`${cardAt(reference)}/closure`, order, key)),
    closure: ({ key, reference }) =>
      orUnknown(client.get(`${cardAt(reference)}/closure`).then((answer) => closureOf(key, answer))),
    sensitive: async (reference) =>
      parseAnswer(sensitiveCard, await known(client.get(`${cardAt(reference)}/sensitive`))),
    tokenize: async ({ key, reference, ...order }) =>
      tokenizationOf(key, await client.post(`${cardAt(reference)}/tokenizations`, order, key)),
    tokenization({ key, reference }) {
      const path = `${cardAt(reference)}/tokenizations/${encodeURIComponent(key)}`;
      return orUnknown(client.get(path).then((answer) => tokenizationOf(key, answer)));
    },
    changes: changesOver(client),
    verify(raw, headers) {
      const message = verifiedMessage(callbackMessage, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, ref: message.key };
    },
    verifyMessage: (raw, headers) =>
      verifySignature(raw, headers, { secret, now: now() }) ? readProcessorMessage(raw) : undefined,
    verifyQuestion: (path, headers) => verifySignature(Buffer.from(path), headers, { secret, now: now() }),
  };
}

const cardAt = (name: string) => `/cards/${encodeURIComponent(name)}`;

/** Rejects an answer about another order. */
const wordIn =
  <Word>(schema: z.ZodType<{ key: string } & Word>) =>
  (asked: string, answer: unknown): Word => {
    const { key: _, ...word } = parseAnswer(schema, answer, ({ key }) => key === asked);
    return word as Word;
  };
const cardOf = wordIn<CardWord>(cardAnswer);
const closureOf = wordIn<ClosureWord>(closureAnswer);
const tokenizationOf = wordIn<TokenizationWord>(tokenizationAnswer);

/** The processor must know an issued card, so an unknown card counts as an outage. */
async function known(answer: Promise<unknown>): Promise<unknown> {
  const secrets = await orUnknown(answer);
  if (secrets === 'unknown_to_party') throw new PartyAway('the card processor does not know the card');
  return secrets;
}
