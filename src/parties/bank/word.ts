import { z } from 'zod';
import { partyName as name, partsOf, partyVersion, storedAmount } from '../protocol/stored';

/** The whole present state of a payment that the bank has received for an IBAN of our range. */
export const bankCreditWord = z.object({
  version: partyVersion,
  id: name.describe('The bank’s name for it: one payment, one name.'),
  iban: z.string().max(60),
  amount: storedAmount,
  currency: z.string().max(8),
  recalls: partsOf(z.object({ id: name, amount: storedAmount })).describe(
    'What the payer’s bank has taken back, and keeps.',
  ),
  returns: partsOf(
    z.object({
      id: name,
      key: z.string().max(200).optional(),
      amount: storedAmount,
      status: z.enum(['pending', 'succeeded', 'failed']),
    }),
  ).describe(
    'What goes back to the payer; `key`: ours, where we ordered it. The bank keeps the money while it is `pending`.',
  ),
});

export type BankCreditWord = z.output<typeof bankCreditWord>;
