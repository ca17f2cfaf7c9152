import { z } from 'zod';
import { failureCode } from './codes';
import { partyName as name, partsOf, partyVersion, storedAmount } from './stored';

/**
 * The whole present state of money that a party is to pay out, in the order's currency: a payout, or a withdrawal from the
 * exchange. What the party has had of us is what is `sent` less what has come back. An order that the party refuses has no
 * word: there `failed` is what it says of one that it took.
 */
export const outgoingWord = z.object({
  version: partyVersion,
  status: z.enum(['processing', 'sent', 'completed', 'failed', 'returned']),
  failureCode,
  sent: storedAmount.describe(
    'What has left; zero while nothing has, and when the party says that nothing has after all.',
  ),
  returns: partsOf(z.object({ id: name, amount: storedAmount })).describe(
    'What has come back, each by the party’s own name.',
  ),
});

export type OutgoingWord = z.output<typeof outgoingWord>;
