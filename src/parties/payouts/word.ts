import { z } from 'zod';
import { storedDecimal as decimal } from '../protocol/stored';

/**
 * The whole present state of a payout, in the order's currency. What the party has had of us is what is `sent` less what
 * has come back.
 */
export const payoutWord = z.object({
  /** Grows with each change at the party; absent where it counts none. */
  version: z.number().int().optional(),
  status: z.enum(['processing', 'sent', 'completed', 'failed', 'returned']),
  /** The party's reason: a word without personal data. */
  failureCode: z.string().optional(),
  /** What has left; zero while nothing has, and when the party says that nothing has after all. */
  sent: decimal,
  /** What has come back, each by the party's own name. */
  returns: z.array(z.object({ id: z.string(), amount: decimal })),
});

export type PayoutWord = z.output<typeof payoutWord>;
