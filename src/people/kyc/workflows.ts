import { reconcilable } from '../../process/overdue';
import { processOf } from '../../process/workflow-command';
import type { KycReview } from './record';
import { overdueReviews } from './store';

const review = processOf<Pick<KycReview, 'userId' | 'submission' | 'tenantId'>>({
  workflow: 'kycReview',
  prefix: 'kyc-review-',
  summary: ({ submission }) => `KYC review, submission ${submission}`,
  key: ({ userId, submission }) => [userId, submission],
});

export const startReview = review.start;
export const lookAtReview = review.look;

/**
 * Wakes the workflow of each overdue review. A review that waits for an operator is not overdue, so they do not pile
 * up.
 */
export const kycProcesses = reconcilable({
  name: 'KYC reviews',
  processes: [review],
  overdue: overdueReviews,
  drive: lookAtReview,
});
