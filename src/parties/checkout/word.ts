import { z } from 'zod';
import { failureCode } from '../protocol/codes';
import { partyName as name, partsOf, partyVersion, storedAmount } from '../protocol/stored';

const money = { amount: storedAmount, currency: z.string().max(8) };

/**
 * The whole present state of a checkout session. Its parts are named by the party's own ids. What is `settled` is the
 * party's debt to us, less refunds that have succeeded and disputes that are not won.
 */
export const checkoutWord = z.object({
  version: partyVersion,
  key: z
    .string()
    .max(200)
    .nullable()
    .describe('The key under which we ordered it; null for one that no order of ours has made.'),
  page: z
    .enum(['open', 'failed', 'cancelled', 'expired', 'paid'])
    .describe('All but `open` can no longer be paid there. Money may come all the same.'),
  payments: partsOf(
    z.object({ id: name, ...money, status: z.enum(['pending', 'settled', 'failed']) }),
  ).describe('`settled`: the money is ours, and the party’s debt to us.'),
  risk: z.enum(['normal', 'review']).describe('`review`: a person looks at it before it is credited.'),
  failureCode,
  refunds: partsOf(
    z.object({
      id: name,
      key: z.string().optional(),
      ...money,
      status: z.enum(['pending', 'succeeded', 'failed']),
    }),
  ).describe('What goes back to the payer; `key`: ours, where we ordered it.'),
  disputes: partsOf(z.object({ id: name, ...money, status: z.enum(['open', 'won', 'lost']) })).describe(
    'What the payer’s bank has taken back: until it is `won`.',
  ),
});

export type CheckoutWord = z.output<typeof checkoutWord>;
