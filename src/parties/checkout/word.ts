import { z } from 'zod';
import { storedDecimal as decimal } from '../protocol/stored';

const money = { amount: decimal, currency: z.string() };

/**
 * The whole present state of a checkout session. Its parts are named by the party's own ids. What is `settled` is the
 * party's debt to us, less refunds that have succeeded and disputes that are not won.
 */
export const checkoutWord = z.object({
  /** Grows with each change at the party; absent where it counts none. */
  version: z.number().int().optional(),
  /** Of the page: `closed` when it can no longer be paid. */
  page: z.enum(['open', 'failed', 'cancelled', 'expired', 'paid']),
  payments: z.array(z.object({ id: z.string(), ...money, status: z.enum(['pending', 'settled', 'failed']) })),
  risk: z.enum(['normal', 'review']),
  failureCode: z.string().optional(),
  /** `key`: ours, where we ordered it. */
  refunds: z.array(
    z.object({
      id: z.string(),
      key: z.string().optional(),
      ...money,
      status: z.enum(['pending', 'succeeded', 'failed']),
    }),
  ),
  disputes: z.array(z.object({ id: z.string(), ...money, status: z.enum(['open', 'won', 'lost']) })),
});

export type CheckoutWord = z.output<typeof checkoutWord>;
