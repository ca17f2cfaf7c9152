import { z } from 'zod';
import { failureCode } from '../protocol/codes';
import { partyName as name, partsOf, partyVersion, storedAmount } from '../protocol/stored';

/**
 * The whole present state of a payout, in the order's currency. What the party has had of us is what is `sent` less what
 * has come back. An order that the party refuses has no word: there `failed` is what it says of one that it took.
 */
export const payoutWord = z.object({
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

export type PayoutWord = z.output<typeof payoutWord>;
