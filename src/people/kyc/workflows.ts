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

/** One that waits for a person is looked at by its own workflow, so that thousands of them do not come here. */
export const kycProcesses = reconcilable({
  name: 'KYC reviews',
  processes: [review],
  overdue: overdueReviews,
  drive: lookAtReview,
});
