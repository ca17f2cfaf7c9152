import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { KycActivities } from '../activities/kyc';
import { listenForLooks } from './support/look';
import { showStatus } from './support/show';

const { lookAtKycReview } = proxyActivities<KycActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * A decision is told at once, by a signal. Looking without being told shows the reconciler that the review has not been
 * lost; it costs about a dozen events of history.
 */
const LOOK_EVERY_MS = 6 * 60 * 60_000;

/**
 * Waits, for months if need be, until a person has decided on the documents that a user has submitted
 * (`kyc-review-<userId>-<submission>`).
 * @returns the status that ends the review: `completed`, `rejected` or `resubmission_required`
 */
export async function kycReview(userId: string, submission: number): Promise<string> {
  const looks = listenForLooks();
  const look = () => lookAtKycReview({ userId, submission, watchedUntil: Date.now() + LOOK_EVERY_MS });
  let status = await look();
  showStatus(status, `Submission ${submission} waits for an operator's decision.`);
  while (status === 'in_review') {
    await looks.next(LOOK_EVERY_MS);
    status = await look();
    if (status === 'in_review' && workflowInfo().continueAsNewSuggested && !looks.waiting())
      await continueAsNew<typeof kycReview>(userId, submission);
  }
  showStatus(status, `Submission ${submission} is decided: ${status}.`);
  return status;
}
