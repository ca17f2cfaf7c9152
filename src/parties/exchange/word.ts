import { z } from 'zod';
import { failureCode } from '../protocol/codes';
import { partyName as name, partsOf, partyVersion, storedAmount } from '../protocol/stored';

/**
 * The whole present state of an exchange order. It is `open` while more may be filled; `filled` when no more will be, whatever
 * part of it was; `failed` when nothing was, or nothing is any more. What the party has taken of us is what its fills sold,
 * and it owes us what they bought.
 */
export const exchangeOrderWord = z.object({
  version: partyVersion,
  status: z.enum(['open', 'filled', 'failed']),
  failureCode,
  fills: partsOf(
    z.object({
      id: name,
      sold: storedAmount.describe('In the currency that is sold.'),
      bought: storedAmount.describe('In the currency that is bought.'),
    }),
  ).describe('What has been dealt, each by the party’s own name.'),
});

export type ExchangeOrderWord = z.output<typeof exchangeOrderWord>;

/**
 * The whole present state of a withdrawal from the exchange, in its currency: what has left the party for the destination,
 * and what of that has come back.
 */
export const exchangeWithdrawalWord = z.object({
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

export type ExchangeWithdrawalWord = z.output<typeof exchangeWithdrawalWord>;
