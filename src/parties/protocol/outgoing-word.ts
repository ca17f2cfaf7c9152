import { z } from 'zod';
import { failureCode } from './codes';
import { partyName as name, partsOf, partyVersion, storedAmount } from './stored';

/**
 * The whole present state of money that a party pays out: a payout, or a withdrawal from the exchange. Amounts are in
 * the order's currency. The party has received `sent` less `returns` from us. `failed` is an order that the party took
 * and then gave up; an order that it refuses at once has no state.
 */
export const outgoingWord = z.object({
  version: partyVersion,
  status: z.enum(['processing', 'sent', 'completed', 'failed', 'returned']),
  failureCode,
  sent: storedAmount.describe(
    'The amount that has left. Zero while no money has left, also where the party withdraws an earlier report.',
  ),
  returns: partsOf(z.object({ id: name, amount: storedAmount })).describe(
    'The amounts that have come back, each with the party’s own id.',
  ),
});

export type OutgoingWord = z.output<typeof outgoingWord>;
