import { z } from 'zod';
import { type Kept, storedDecimal } from '../../sandbox/orders/book';
import { remitter } from '../word';

/** Money that goes back from a payment. */
const creditReturn = z.object({
  id: z.string(),
  /** `recall`: the payer's bank takes the money back. `return`: we have ordered it. */
  kind: z.enum(['recall', 'return']),
  key: z.string().nullable(),
  amount: storedDecimal,
  /** When the return was ordered, or when the recall happens. */
  at: z.coerce.date(),
  endsAt: z.coerce.date(),
  outcome: z.enum(['succeeded', 'failed']),
  undoneAt: z.coerce.date().nullable(),
});

export const asked = z.object({
  /** As the payer wrote it. It may belong to no account. */
  iban: z.string(),
  amount: storedDecimal,
  currency: z.string(),
});

export const state = z.object({ remitter, returns: z.array(creditReturn) });

export type SandboxReturn = z.output<typeof creditReturn>;
export type AskedCredit = z.output<typeof asked>;
export type CreditState = z.output<typeof state>;

/** A payment as the sandbox's bank stores it. The key is the bank's id, because nobody ordered the payment. */
export type SandboxCredit = Kept<AskedCredit, CreditState>;
