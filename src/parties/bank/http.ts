import type { z } from 'zod';
import { isCountable, orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { Bank, BankCreditReport } from './port';
import { bankCallback, bankCreditAnswer, returnAnswer, type returnOrder } from './protocol';

/** Adapter of the bank, over our protocol (`protocol.ts`). */
export function createHttpBank(options: AdapterOptions): Bank {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;
  const pathOf = (creditId: string) => `/credits/${encodeURIComponent(creditId)}`;
  const ask = (creditId: string) =>
    orUnknown(client.get(pathOf(creditId)).then((answer) => reportOf(creditId, answer)));
  return {
    ask,
    async giveBack({ key, creditId, amount }) {
      const body: z.input<typeof returnOrder> = { amount: amount.toFixed() };
      parseAnswer(returnAnswer, await client.post(`${pathOf(creditId)}/returns`, body, key));
    },
    changes: changesOver(client),
    verify(raw, headers) {
      const message = verifiedMessage(bankCallback, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, ref: message.creditId, creditId: message.creditId };
    },
  };
}

/** Rejects an answer about another payment, and one whose amounts the ledger cannot hold. */
function reportOf(creditId: string, answer: unknown): BankCreditReport {
  const isUsable = ({ id, amount, currency, recalls, returns }: z.output<typeof bankCreditAnswer>) => {
    const parts = [{ amount }, ...recalls, ...returns];
    return id === creditId && amount.gt(0) && parts.every((part) => isCountable({ ...part, currency }));
  };
  const { remitter, ...word } = parseAnswer(bankCreditAnswer, answer, isUsable);
  return { word, remitter };
}
