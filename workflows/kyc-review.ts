import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { KycActivities } from '../activities/kyc';
import { listenForLooks } from './support/look-signal';
import { showStatus } from './support/status';

const { lookAtKycReview } = proxyActivities<KycActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * A decision is told at once, by a signal. Looking without being told shows the reconciler that the review has not been
 * lost.
 */
const LOOK_EVERY_MS = 12 * 60 * 60_000;
/** Then the history, of about ten events a look, begins anew. */
const LOOKS_PER_RUN = 100;

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
  for (let looked = 1; status === 'in_review'; looked += 1) {
    if (looked >= LOOKS_PER_RUN && !looks.waiting())
      await continueAsNew<typeof kycReview>(userId, submission);
    await looks.next(LOOK_EVERY_MS);
    status = await look();
  }
  showStatus(status, `Submission ${submission} is decided: ${status}.`);
  return status;
}
