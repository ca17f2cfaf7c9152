import { z } from 'zod';
import { failureCode } from '../protocol/codes';
import { partyName as name, partsOf, partyVersion, storedAmount } from '../protocol/stored';

/**
 * The whole present state of an order, in its currency. Of a charge `moved` is what has arrived with us, of a push what has
 * left us; what of it has gone back, and stays there, is in `returns`.
 */
export const cardOrderWord = z.object({
  version: partyVersion,
  status: z
    .enum(['requires_action', 'processing', 'succeeded', 'failed'])
    .describe(
      '`requires_action`: the payer must confirm on the party’s page. `processing`: it is on its way.',
    ),
  failureCode,
  moved: storedAmount.describe(
    'Of a charge: what has arrived with us. Of a push: what has left us, from `processing` on. Zero where nothing has moved, or not after all.',
  ),
  returns: partsOf(z.object({ id: name, amount: storedAmount })).describe(
    'Chargebacks of a charge, what the card’s bank did not take of a push; one that was won is not among them.',
  ),
});

export type CardOrderWord = z.output<typeof cardOrderWord>;
