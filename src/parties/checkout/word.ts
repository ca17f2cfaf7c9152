import { z } from 'zod';
import { failureCode } from '../protocol/codes';
import { partyName as name, partsOf, partyVersion, storedAmount } from '../protocol/stored';

const money = { amount: storedAmount, currency: z.string().max(8) };

/**
 * The whole present state of a checkout session, its parts under the party's ids. The party owes us the `settled`
 * payments, less successful refunds and disputes that are not won.
 */
export const checkoutWord = z.object({
  version: partyVersion,
  key: z
    .string()
    .max(200)
    .nullable()
    .describe('The key of our order. Null for a session that we did not order.'),
  page: z
    .enum(['open', 'failed', 'cancelled', 'expired', 'paid'])
    .describe('Only an `open` page accepts a payment. Money may still arrive later.'),
  payments: partsOf(
    z.object({ id: name, ...money, status: z.enum(['pending', 'settled', 'failed']) }),
  ).describe('`settled`: the party owes us the money.'),
  risk: z.enum(['normal', 'review']).describe('`review`: a person decides before the payment is credited.'),
  failureCode,
  refunds: partsOf(
    z.object({
      id: name,
      key: z.string().optional(),
      ...money,
      status: z.enum(['pending', 'succeeded', 'failed']),
    }),
  ).describe('The refunds to the payer. `key` is ours, where we ordered the refund.'),
  disputes: partsOf(z.object({ id: name, ...money, status: z.enum(['open', 'won', 'lost']) })).describe(
    'The amounts that the payer’s bank has taken back. A `won` dispute returns its amount.',
  ),
});

export type CheckoutWord = z.output<typeof checkoutWord>;
