import { z } from 'zod';
import { failureCode } from '../protocol/codes';
import { partyName as name, partsOf, storedAmount } from '../protocol/stored';

/**
 * The whole present state of an order, in its currency. Of a charge `moved` is what has arrived with us, of a push what has
 * left us; what of it has gone back, and stays there, is in `returns`.
 */
export const cardOrderWord = z.object({
  /** Grows with each change at the party; absent where it counts none. */
  version: z.number().int().optional(),
  /** `requires_action`: the payer must confirm on the party's page. `processing`: it is on its way. */
  status: z.enum(['requires_action', 'processing', 'succeeded', 'failed']),
  /** The party's reason: a word without personal data. */
  failureCode,
  /** Of a push: it has left us from `processing` on. Zero where nothing has moved, or not after all. */
  moved: storedAmount,
  /** Chargebacks of a charge, what the card's bank did not take of a push; one that was won is not among them. */
  returns: partsOf(z.object({ id: name, amount: storedAmount })),
});

export type CardOrderWord = z.output<typeof cardOrderWord>;
