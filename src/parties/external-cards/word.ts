import { z } from 'zod';
import { failureCode } from '../protocol/codes';
import { partyName as name, partsOf, partyVersion, storedAmount } from '../protocol/stored';

/**
 * The whole present state of an order, in its currency. For a charge, `moved` has arrived with us; for a push, it has
 * left us. `returns` is the part that went back for good.
 */
export const cardOrderWord = z.object({
  version: partyVersion,
  status: z
    .enum(['requires_action', 'processing', 'succeeded', 'failed'])
    .describe(
      '`requires_action`: the payer must confirm on the party’s page. `processing`: the money is on its way.',
    ),
  failureCode,
  moved: storedAmount.describe(
    'For a charge, the amount that has arrived with us. For a push, the amount that has left us, from `processing` on. Zero where no money has moved.',
  ),
  returns: partsOf(z.object({ id: name, amount: storedAmount })).describe(
    'Chargebacks of a charge, or parts of a push that the card’s bank did not take. A chargeback that we have won is left out.',
  ),
});

export type CardOrderWord = z.output<typeof cardOrderWord>;
