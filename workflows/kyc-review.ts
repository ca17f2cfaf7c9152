import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { KycActivities } from '../activities/kyc';
import { listenForLooks } from './support/look-signal';
import { showStatus } from './support/status';

const { lookAtKycReview } = proxyActivities<KycActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Interval of looks without a signal. Each look shows the reconciler that the workflow is alive. A signal tells a
 * decision at once.
 */
const LOOK_EVERY_MS = 12 * 60 * 60_000;
/** Looks until the workflow continues as new. A look adds about ten events to the history. */
const LOOKS_PER_RUN = 100;

/**
 * Waits until an operator has decided on a user's submitted documents (`kyc-review-<userId>-<submission>`). The wait
 * may last months.
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
