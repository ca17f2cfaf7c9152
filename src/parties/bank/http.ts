import { z } from 'zod';
import { decimal, orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { Bank } from './port';

const id = z.string().min(1).max(200);

const creditSchema = z.object({
  id,
  iban: z.string().max(60),
  amount: decimal,
  currency: z.string().max(8),
});

/** Names alone: each payment is asked for by its name, and one that cannot be read is not the end of its page. */
const pageSchema = z.object({ credits: z.array(z.object({ id })), next: z.string().nullable() });
const callbackSchema = z.object({ id, creditId: z.string().regex(/^[\w-]{1,100}$/) });

/** The bank over our own small JSON protocol: `GET /credits/{id}`, `GET /credits?after=`. */
export function createHttpBank(options: AdapterOptions): Bank {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;
  return {
    credit: (creditId) =>
      orUnknown(
        client
          .get(`/credits/${encodeURIComponent(creditId)}`)
          .then((answer) => parseAnswer(creditSchema, answer)),
      ),
    async creditsAfter(after) {
      const query = after === null ? '' : `?after=${encodeURIComponent(after)}`;
      return parseAnswer(pageSchema, await client.get(`/credits${query}`));
    },
    verify(raw, headers) {
      const message = verifiedMessage(callbackSchema, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, creditId: message.creditId };
    },
  };
}
