import { Context } from '@temporalio/activity';
import type { Composed } from '../src/composition';
import { removeDueContent } from '../src/people/kyc/documents/content';
import { advanceReview } from '../src/people/kyc/review';

/** Input of a step of a review's workflow. The field names are fixed, because recorded histories contain them. */
export interface KycReviewLook {
  userId: string;
  submission: number;
  /** When the workflow will advance the review again: milliseconds since 1970, by the workflow's clock. */
  watchedUntil: number;
}

/** Contents in one batch. A batch takes seconds, so that a worker can stop between two activities. */
const BATCH = 50;

export interface KycActivities {
  /** @returns the status of the review */
  lookAtKycReview(look: KycReviewLook): Promise<string>;
  /** Removes a batch of content that no record keeps. Idempotent. */
  removeDueDocuments(): Promise<{ more: boolean }>;
}

export function createKycActivities(services: Composed): KycActivities {
  return {
    lookAtKycReview: ({ userId, submission, watchedUntil }) =>
      advanceReview(services, userId, submission, services.productClock.fromWorkflow(watchedUntil)),
    removeDueDocuments: () => removeDueContent(services, BATCH, () => Context.current().heartbeat()),
  };
}
