import { z } from 'zod';
import { isCountable, orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import { partyName } from '../protocol/stored';
import type { Bank } from './port';
import { type BankCreditWord, bankCreditWord } from './word';

const callbackSchema = z.object({ id: partyName, creditId: z.string().regex(/^[\w-]{1,100}$/) });
const returnSchema = z.object({ id: partyName });

/**
 * The bank over our own small JSON protocol: `GET /credits/{id}`, `POST /credits/{id}/returns` under an `idempotency-key`,
 * `GET /changes`, and callbacks `{ id, creditId }`.
 */
export function createHttpBank(options: AdapterOptions): Bank {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;
  const pathOf = (creditId: string) => `/credits/${encodeURIComponent(creditId)}`;
  const ask = (creditId: string) =>
    orUnknown(client.get(pathOf(creditId)).then((answer) => wordOf(creditId, answer)));
  return {
    ask,
    async giveBack({ key, creditId, amount }) {
      const answer = await client.post(`${pathOf(creditId)}/returns`, { amount: amount.toFixed() }, key);
      parseAnswer(returnSchema, answer);
    },
    changes: changesOver(client),
    verify(raw, headers) {
      const message = verifiedMessage(callbackSchema, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, ref: message.creditId, creditId: message.creditId };
    },
  };
}

/** An answer about another payment is none, nor is one that no books could hold. */
const wordOf = (creditId: string, answer: unknown): BankCreditWord =>
  parseAnswer(bankCreditWord, answer, ({ id, amount, currency, recalls, returns }) => {
    const parts = [{ amount }, ...recalls, ...returns];
    return id === creditId && amount.gt(0) && parts.every((part) => isCountable({ ...part, currency }));
  });
