import { z } from 'zod';
import { storedDecimal as decimal } from '../protocol/stored';

/** The whole present state of a payment that the bank has received for an IBAN of our range. */
export const bankCreditWord = z.object({
  /** Grows with each change at the bank; absent where it counts none. */
  version: z.number().int().optional(),
  /** The bank's name for it: one payment, one name. */
  id: z.string(),
  iban: z.string(),
  amount: decimal,
  currency: z.string(),
  /** What the payer's bank has taken back, and keeps. */
  recalls: z.array(z.object({ id: z.string(), amount: decimal })),
  /** What goes back to the payer; `key`: ours, where we ordered it. The bank keeps the money while it is `pending`. */
  returns: z.array(
    z.object({
      id: z.string(),
      key: z.string().optional(),
      amount: decimal,
      status: z.enum(['pending', 'succeeded', 'failed']),
    }),
  ),
});

export type BankCreditWord = z.output<typeof bankCreditWord>;
