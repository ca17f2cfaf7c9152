import { Context } from '@temporalio/activity';
import type { Composed } from '../src/composition';
import { removeDueContent } from '../src/people/kyc/content';
import { advanceReview } from '../src/people/kyc/review';

/** A step of a review's workflow. Its fields are in recorded histories, and keep their names. */
export interface KycReviewLook {
  userId: string;
  submission: number;
  /** `dueBy`: when the workflow will advance it again, by its own clock, in milliseconds. */
  watchedUntil: number;
}

/** Contents removed by one activity: a few seconds of work, so that a worker can stop in between. */
const BATCH = 50;

export interface KycActivities {
  /** @returns the status of the review */
  lookAtKycReview(look: KycReviewLook): Promise<string>;
  /** Removes content that no record keeps. Idempotent. */
  removeDueDocuments(): Promise<{ more: boolean }>;
}

export function createKycActivities(services: Composed): KycActivities {
  return {
    lookAtKycReview: ({ userId, submission, watchedUntil }) =>
      advanceReview(services, userId, submission, new Date(watchedUntil)),
    removeDueDocuments: () => removeDueContent(services, BATCH, () => Context.current().heartbeat()),
  };
}
