import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CardholderActivities } from '../activities/cardholders';
import type { SubmissionProgress } from '../src/cardholders/submission';
import { askAgainAfter, askingProvider } from './support/asking';
import { listenForLooks } from './support/look';
import { showStatus } from './support/show';

const { lookAtCardholder, checkSubmission, giveUpSubmission } =
  proxyActivities<CardholderActivities>(askingProvider);

/** At five minutes between two, the attempts of about a day; then the client is told that the submission has failed. */
const ATTEMPTS = 300;

const { submitCardholder } = proxyActivities<CardholderActivities>({
  ...askingProvider,
  retry: { ...askingProvider.retry, maximumAttempts: ATTEMPTS },
});

/**
 * A decision is told at once, by a signal. Looking without being told shows the reconciler that the cardholder has not
 * been lost; it costs about a dozen events of history.
 */
const LOOK_EVERY_MS = 12 * 60 * 60_000;

const SOON_ENOUGH = 12;
const HOURLY_MS = 60 * 60_000;

/** A provider's people may take days or weeks: once it has been asked for half an hour, every hour will do. */
const askAfter = (asked: number) => (asked < SOON_ENOUGH ? askAgainAfter(asked) : HOURLY_MS);

const DETAILS: Partial<Record<SubmissionProgress, string>> = {
  processing: 'Submitted: the provider has not decided yet.',
  unknown: 'The provider gave no answer: it may have the submission. Its outcome is asked for.',
};

/**
 * Leads a cardholder to its decision (`cardholder-submission-<cardholderId>`): the operator's review, then the submission
 * to the provider and its outcome, each for as long as it takes. Ends where the client must do something, or nobody need;
 * the client's next call begins it again.
 * @param asked how often the outcome was asked for before this run
 * @returns the cardholder's status
 */
export async function cardholderSubmission(cardholderId: string, asked = 0): Promise<string> {
  const looks = listenForLooks();
  const look = () => lookAtCardholder({ cardholderId, watchedUntil: Date.now() + LOOK_EVERY_MS });
  let progress: SubmissionProgress = await look();
  for (;;) {
    if (progress === 'wait_audit') {
      showStatus('wait_audit', 'Submitting to the provider.');
      progress = await submit(cardholderId, asked);
    } else if (progress === 'processing' || progress === 'unknown') {
      showStatus('wait_audit', DETAILS[progress]);
      await looks.next(askAfter(asked));
      asked += 1;
      if (workflowInfo().continueAsNewSuggested && !looks.waiting())
        await continueAsNew<typeof cardholderSubmission>(cardholderId, asked);
      progress = await checkSubmission(step(cardholderId, asked));
    } else {
      asked = 0;
      const waits = progress === 'pending_review';
      showStatus(progress, waits ? "Waits for an operator's decision." : undefined);
      if (!waits && !looks.waiting()) return progress;
      await looks.next(LOOK_EVERY_MS);
      if (workflowInfo().continueAsNewSuggested && !looks.waiting())
        await continueAsNew<typeof cardholderSubmission>(cardholderId);
      progress = await look();
    }
  }
}

const step = (cardholderId: string, asked: number) => ({
  cardholderId,
  watchedUntil: Date.now() + askAfter(asked),
});

/** A provider that cannot be reached is tried for about a day. */
async function submit(cardholderId: string, asked: number): Promise<SubmissionProgress> {
  try {
    return await submitCardholder(step(cardholderId, asked));
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    return giveUpSubmission(cardholderId);
  }
}

function isUnreachable(error: unknown): boolean {
  const { cause } = error instanceof ActivityFailure ? error : {};
  return cause instanceof ApplicationFailure && cause.type === 'ReviewerUnreachable';
}
