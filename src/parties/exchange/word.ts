import { z } from 'zod';
import { failureCode } from '../protocol/codes';
import { type OutgoingWord, outgoingWord } from '../protocol/outgoing-word';
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

/** The whole present state of a withdrawal from the exchange, in its currency. */
export const exchangeWithdrawalWord = outgoingWord;

export type ExchangeWithdrawalWord = OutgoingWord;
