import { z } from 'zod';

/**
 * The whole present state of an application. `rejected`: the person failed the review. `refused`: the data was taken
 * but is unusable, so there is no review.
 */
export const reviewWord = z.object({
  /** Grows with each change at the party. Absent where the party counts no versions. */
  version: z.number().int().optional(),
  status: z.enum(['processing', 'passed', 'rejected', 'refused']),
  /**
   * Reason of a refusal or rejection, without personal data, because clients and webhooks receive it. An unusable text
   * is dropped.
   */
  reason: z.string().trim().min(1).max(500).optional().catch(undefined),
});

export type ReviewWord = z.output<typeof reviewWord>;
