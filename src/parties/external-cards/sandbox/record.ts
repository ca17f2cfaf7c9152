import { z } from 'zod';
import type { Kept } from '../../sandbox/orders/book';
import { cardOrder } from '../protocol';

export const asked = cardOrder
  .pick({ token: true, amount: true, currency: true })
  .extend({ kind: z.enum(['charge', 'push']) });

export const state = z.object({
  merchant: z.string(),
  returnUrl: z.string().nullable(),
  expiresAt: z.coerce.date(),
  /** The payer's decision on the page. */
  confirmedAt: z.coerce.date().nullable(),
  refusedAt: z.coerce.date().nullable(),
});

export type AskedCard = z.output<typeof asked>;
export type CardState = z.output<typeof state>;

/** A charge or a push as the sandbox's acquirer stores it. */
export type SandboxCardOrder = Kept<AskedCard, CardState>;
