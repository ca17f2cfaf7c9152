import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { CardholderActivities } from '../activities/cardholders';
import { PARTY_QUEUES } from '../src/kernel/outbox/queues';
import { listenForLooks } from './support/look-signal';
import { askAgainAfter, askingParty } from './support/party-retries';
import { type More, showing } from './support/status';
import { steps } from './support/steps';
import { looksAgain } from './support/summary';

const { lookAtCardholder, giveUpSubmission } = steps<Omit<CardholderActivities, 'submitCardholder'>>(
  askingParty,
  {
    lookAtCardholder: ({ cardholderId }) => `read whether a person has decided ${cardholderId}`,
    giveUpSubmission: (cardholderId) => `fail the submission of ${cardholderId}: no answer for a day`,
  },
);

/** Attempts at five-minute intervals, about a day of them. After the last one the submission fails. */
const ATTEMPTS = 300;

const { submitCardholder } = steps<Pick<CardholderActivities, 'submitCardholder'>>(
  {
    ...askingParty,
    taskQueue: PARTY_QUEUES.cardholderReview,
    retry: { ...askingParty.retry, maximumAttempts: ATTEMPTS },
  },
  {
    submitCardholder: ({ cardholderId }) =>
      `submit ${cardholderId} to the cardholder review, or ask for the outcome`,
  },
);

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
  const show = showChanges(cardholderId);
  const look = () => lookAtCardholder({ cardholderId, watchedUntil: Date.now() + LOOK_EVERY_MS });
  let progress: string = await look();
  for (let waits = 0; ; ) {
    if (progress === 'wait_audit') {
      show('wait_audit', 'Submitting to the party.');
      progress = await submit(cardholderId, asked);
    } else if (isOpen(progress)) {
      const reviewed: boolean = progress === 'pending_review';
      const waitsFor = WAITS_FOR[progress];
      const ms = reviewed ? LOOK_EVERY_MS : askAfter(asked);
      show(reviewed ? progress : 'wait_audit', waitsFor, { next: Date.now() + ms });
      if ((waits >= WAITS_PER_RUN || workflowInfo().continueAsNewSuggested) && !looks.waiting())
        await continueAsNew<typeof cardholderSubmission>(cardholderId, asked);
      await looks.within(ms, looksAgain(waitsFor, ms));
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

/** Shows the status only when the line has changed, because each status adds an event to the history. */
function showChanges(cardholderId: string): (status: string, line?: string, more?: More) => void {
  const show = showing(cardholderId);
  let shown = '';
  return (status, line = `The cardholder is ${status}.`, more = {}) => {
    show[line === shown ? 'details' : 'status'](status, line, more);
    shown = line;
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
