import { Context } from '@temporalio/activity';
import type { Composed } from '../src/composition';
import { removeDueContent } from '../src/people/kyc/content';
import { advanceReview } from '../src/people/kyc/review';

/** What the workflow of a review names it by. */
export interface KycReviewLook {
  userId: string;
  submission: number;
  /** When the workflow will have looked again, by its own clock, in milliseconds. */
  watchedUntil: number;
}

/** A few seconds of work, so that a worker can stop between two. */
const AT_ONCE = 50;

export interface KycActivities {
  /** @returns the status of the review */
  lookAtKycReview(look: KycReviewLook): Promise<string>;
  /** Removes content that no record keeps. Twice is once. */
  removeDueDocuments(): Promise<{ more: boolean }>;
}

export function createKycActivities(services: Composed): KycActivities {
  return {
    lookAtKycReview: ({ userId, submission, watchedUntil }) =>
      advanceReview(services, userId, submission, new Date(watchedUntil)),
    removeDueDocuments: () => removeDueContent(services, AT_ONCE, () => Context.current().heartbeat()),
  };
}
