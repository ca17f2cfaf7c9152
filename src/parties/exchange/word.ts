import { z } from 'zod';
import { failureCode } from '../protocol/codes';
import { type OutgoingWord, outgoingWord } from '../protocol/outgoing-word';
import { partyName as name, partsOf, partyVersion, storedAmount } from '../protocol/stored';

/**
 * The whole present state of an exchange order. `open`: more may be filled. `filled`: no more will be filled, though it
 * may be a part. `failed`: no fill holds. The party has taken the sold amounts of the fills, and owes us the bought
 * ones.
 */
export const exchangeOrderWord = z.object({
  version: partyVersion,
  status: z.enum(['open', 'filled', 'failed']),
  failureCode,
  fills: partsOf(
    z.object({
      id: name,
      sold: storedAmount.describe('In the sold currency.'),
      bought: storedAmount.describe('In the bought currency.'),
    }),
  ).describe('The executed parts, each with the party’s own id.'),
});

export type ExchangeOrderWord = z.output<typeof exchangeOrderWord>;

/** The whole present state of a withdrawal from the exchange, in its currency. */
export const exchangeWithdrawalWord = outgoingWord;

export type ExchangeWithdrawalWord = OutgoingWord;
