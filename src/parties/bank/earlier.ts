import { z } from 'zod';
import { parseAnswer } from '../protocol/answers';
import type { PartyClient } from '../protocol/client';
import { partyName } from '../protocol/stored';
import type { Bank, EarlierBank } from './port';

/** Names alone: each payment is asked for by its name, and one that cannot be read is not the end of its page. */
const pageSchema = z.object({
  credits: z.array(z.object({ id: partyName })),
  next: z.string().nullable(),
});

/** The members that the engine before src/transfers/engine uses; `GET /credits?after=` goes with them. */
export function earlierBank(client: PartyClient, { ask }: Pick<Bank, 'ask'>): EarlierBank {
  return {
    credit: ask,
    async creditsAfter(after) {
      const query = after === null ? '' : `?after=${encodeURIComponent(after)}`;
      return parseAnswer(pageSchema, await client.get(`/credits${query}`));
    },
  };
}
