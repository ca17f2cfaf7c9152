import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CardholderActivities } from '../activities/cardholders';
import { PARTY_QUEUES } from '../src/kernel/outbox/queues';
import { listenForLooks } from './support/look-signal';
import { askAgainAfter, askingParty } from './support/party-retries';
import { showStatus } from './support/status';

const { lookAtCardholder, giveUpSubmission } = proxyActivities<CardholderActivities>(askingParty);

/** Attempts at five-minute intervals, about a day of them. After the last one the submission fails. */
const ATTEMPTS = 300;

const { submitCardholder } = proxyActivities<CardholderActivities>({
  ...askingParty,
  taskQueue: PARTY_QUEUES.cardholderReview,
  retry: { ...askingParty.retry, maximumAttempts: ATTEMPTS },
});

/**
 * Interval of looks without a signal. Each look shows the reconciler that the workflow is alive, and adds about a dozen
 * events to the history. A signal tells a decision at once.
 */
const LOOK_EVERY_MS = 12 * 60 * 60_000;

/**
 * Questions at growing intervals, in the first half hour. Later questions are hourly, because a review may take weeks.
 */
const FREQUENT_ASKS = 12;
const HOURLY_MS = 60 * 60_000;

/** @param asked how often the party was asked before. @returns milliseconds */
const askAfter = (asked: number) => (asked < FREQUENT_ASKS ? askAgainAfter(asked) : HOURLY_MS);

/** Waits until the workflow continues as new, so that the history stays short. */
const WAITS_PER_RUN = 100;

type Open = 'pending_review' | 'processing' | 'unknown';

/** Lines for the operator in Temporal's UI. */
const WAITS_FOR: Record<Open, string> = {
  pending_review: "Waits for an operator's decision.",
  processing: 'Submitted: the party has not decided yet.',
  unknown: 'The party gave no answer: it may have the submission. Its outcome is asked for.',
};

const isOpen = (progress: string): progress is Open => progress in WAITS_FOR;

/**
 * Leads a cardholder to a decision (`cardholder-submission-<cardholderId>`). It waits for the operator's review,
 * submits the cardholder to the review party, and asks for the outcome, without a time limit. It ends when the
 * cardholder is decided or the client must act. The client's next call starts it again.
 * @param asked how often the party was asked for the outcome before this run
 * @returns the cardholder's status
 */
export async function cardholderSubmission(cardholderId: string, asked = 0): Promise<string> {
  const looks = listenForLooks();
  const show = showChanges();
  const look = () => lookAtCardholder({ cardholderId, watchedUntil: Date.now() + LOOK_EVERY_MS });
  let progress: string = await look();
  for (let waits = 0; ; ) {
    if (progress === 'wait_audit') {
      show('wait_audit', 'Submitting to the party.');
      progress = await submit(cardholderId, asked);
    } else if (isOpen(progress)) {
      const reviewed: boolean = progress === 'pending_review';
      show(reviewed ? progress : 'wait_audit', WAITS_FOR[progress]);
      if ((waits >= WAITS_PER_RUN || workflowInfo().continueAsNewSuggested) && !looks.waiting())
        await continueAsNew<typeof cardholderSubmission>(cardholderId, asked);
      await looks.next(reviewed ? LOOK_EVERY_MS : askAfter(asked));
      waits += 1;
      asked = reviewed ? 0 : asked + 1;
      progress = reviewed ? await look() : await submit(cardholderId, asked);
    } else {
      show(progress);
      if (!looks.waiting()) return progress;
      await looks.next();
      asked = 0;
      progress = await look();
    }
  }
}

/** Shows a line only when it has changed, because each call adds an event to the history. */
function showChanges(): (status: string, details?: string) => void {
  let shown = '';
  return (status, details = status) => {
    if (details !== shown) showStatus(status, details);
    shown = details;
  };
}

/** Submits to the party, and fails the submission when the party was out of reach for about a day. */
async function submit(cardholderId: string, asked: number): Promise<string> {
  try {
    return await submitCardholder({ cardholderId, watchedUntil: Date.now() + askAfter(asked) });
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    return giveUpSubmission(cardholderId);
  }
}

function isUnreachable(error: unknown): boolean {
  const { cause } = error instanceof ActivityFailure ? error : {};
  return cause instanceof ApplicationFailure && cause.type === 'PartyAway';
}
