import { continueAsNew } from '@temporalio/workflow';
import type { KycActivities } from '../activities/kyc';
import { listenForLooks } from './support/look-signal';
import { showing } from './support/status';
import { steps } from './support/steps';
import { looksAgain } from './support/summary';

const { lookAtKycReview } = steps<Pick<KycActivities, 'lookAtKycReview'>>(
  {
    startToCloseTimeout: '30 seconds',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  },
  {
    lookAtKycReview: ({ userId, submission }) =>
      `read whether a person has decided submission ${submission} of ${userId}`,
  },
);

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
  const show = showing(userId);
  const waits = `Submission ${submission} waits for an operator's decision.`;
  const look = () => lookAtKycReview({ userId, submission, watchedUntil: Date.now() + LOOK_EVERY_MS });
  let status = await look();
  show.status(status, waits, { next: Date.now() + LOOK_EVERY_MS });
  for (let looked = 1; status === 'in_review'; looked += 1) {
    if (looked >= LOOKS_PER_RUN && !looks.waiting())
      await continueAsNew<typeof kycReview>(userId, submission);
    await looks.within(LOOK_EVERY_MS, looksAgain(waits, LOOK_EVERY_MS));
    status = await look();
    show.details(status, waits, { next: Date.now() + LOOK_EVERY_MS });
  }
  show.status(status, `Submission ${submission} is decided: ${status}.`);
  return status;
}
