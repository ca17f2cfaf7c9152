import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { QUEUES } from '../../kernel/outbox/queues';
import type { Reconcilable } from '../../kernel/temporal/reconciler';
import { type KycReview } from './record';
import { forgottenReviews } from './store';

type Named = Pick<KycReview, 'userId' | 'submission' | 'tenantId'>;

export const kycReviewId = ({ userId, submission }: Pick<Named, 'userId' | 'submission'>) =>
  `kyc-review-${userId}-${submission}`;

export const startReview = (review: Named) => command('start', review);
export const lookAtReview = (review: Named) => command('look', review);

function command(action: WorkflowCommand['action'], review: Named): WorkflowCommand {
  return {
    workflow: 'kycReview',
    workflowId: kycReviewId(review),
    taskQueue: QUEUES.processes,
    action,
    args: [review.userId, review.submission],
    tenantId: review.tenantId,
    summary: `KYC review, submission ${review.submission}`,
  };
}

/**
 * Reviews that nobody watches: their workflow should have looked by now. A review that waits for its operator is looked at
 * by its own workflow, so that thousands of them do not come here every five minutes.
 */
export const kycProcesses: Reconcilable = {
  name: 'KYC reviews',
  stale: async (sql, olderThan, limit, except) =>
    (await forgottenReviews(sql, olderThan, limit, except)).map(lookAtReview),
};
