import { z } from 'zod';
import { partyName as name, partsOf, partyVersion, storedAmount } from '../protocol/stored';

/** The whole present state of a payment that the bank has received for an IBAN of our range. */
export const bankCreditWord = z.object({
  version: partyVersion,
  id: name.describe('The bank’s id of the payment. Each payment has one id.'),
  iban: z.string().max(60),
  amount: storedAmount,
  currency: z.string().max(8),
  recalls: partsOf(z.object({ id: name, amount: storedAmount })).describe(
    'The amounts that the payer’s bank has taken back.',
  ),
  returns: partsOf(
    z.object({
      id: name,
      key: z.string().max(200).optional(),
      amount: storedAmount,
      status: z.enum(['pending', 'succeeded', 'failed']),
    }),
  ).describe(
    'The returns to the payer. `key` is ours, where we ordered the return. The bank holds the money while a return is `pending`.',
  ),
});

export type BankCreditWord = z.output<typeof bankCreditWord>;

/** The payer of a payment. Personal data, so it is kept apart from the word. */
export const remitter = z.object({
  name: z.string().trim().min(1).max(140),
  iban: z.string().max(60).optional(),
});

export type BankRemitter = z.output<typeof remitter>;
