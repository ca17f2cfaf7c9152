import { z } from 'zod';

/**
 * The whole present state of an application. `rejected`: the person is. `refused`: the data was taken, and is not what it
 * must be, so that there is no review.
 */
export const reviewWord = z.object({
  /** Grows with each change at the party; absent where it counts none. */
  version: z.number().int().optional(),
  status: z.enum(['processing', 'passed', 'rejected', 'refused']),
  /** Why not; shown to the client and told to its webhooks, so in words without personal data. Dropped where it is no such text. */
  reason: z.string().trim().min(1).max(500).optional().catch(undefined),
});

export type ReviewWord = z.output<typeof reviewWord>;
