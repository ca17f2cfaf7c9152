import { z } from 'zod';
import { failureCode } from '../protocol/codes';
import { partyName as name, partsOf, storedAmount } from '../protocol/stored';

const money = { amount: storedAmount, currency: z.string().max(8) };

/**
 * The whole present state of a checkout session. Its parts are named by the party's own ids. What is `settled` is the
 * party's debt to us, less refunds that have succeeded and disputes that are not won.
 */
export const checkoutWord = z.object({
  /** Grows with each change at the party; absent where it counts none. */
  version: z.number().int().optional(),
  /** The key under which we ordered it: a deposit's id; null for one that no order of ours has made. */
  key: z.string().max(200).nullable(),
  /** Of the page: all but `open` can no longer be paid there. Money may come all the same. */
  page: z.enum(['open', 'failed', 'cancelled', 'expired', 'paid']),
  payments: partsOf(z.object({ id: name, ...money, status: z.enum(['pending', 'settled', 'failed']) })),
  risk: z.enum(['normal', 'review']),
  failureCode,
  /** `key`: ours, where we ordered it. */
  refunds: partsOf(
    z.object({
      id: name,
      key: z.string().optional(),
      ...money,
      status: z.enum(['pending', 'succeeded', 'failed']),
    }),
  ),
  disputes: partsOf(z.object({ id: name, ...money, status: z.enum(['open', 'won', 'lost']) })),
});

export type CheckoutWord = z.output<typeof checkoutWord>;
