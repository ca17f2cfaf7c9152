import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CardholderActivities } from '../activities/cardholders';
import { PARTY_QUEUES } from '../src/kernel/outbox/queues';
import { listenForLooks } from './support/look-signal';
import { askAgainAfter, askingParty } from './support/party-retries';
import { showStatus } from './support/status';

const { lookAtCardholder, giveUpSubmission } = proxyActivities<CardholderActivities>(askingParty);

/** At five minutes between two, the attempts of about a day; then the client is told that the submission has failed. */
const ATTEMPTS = 300;

const { submitCardholder } = proxyActivities<CardholderActivities>({
  ...askingParty,
  taskQueue: PARTY_QUEUES.cardholderReview,
  retry: { ...askingParty.retry, maximumAttempts: ATTEMPTS },
});

/**
 * A decision is told at once, by a signal. Looking without being told shows the reconciler that the cardholder has not
 * been lost; it costs about a dozen events of history.
 */
const LOOK_EVERY_MS = 12 * 60 * 60_000;

/** Asked at growing intervals so often, for about half an hour, then once an hour: a party's people may take weeks. */
const FREQUENT_ASKS = 12;
const HOURLY_MS = 60 * 60_000;

/** @param asked how often the party was asked before */
const askAfter = (asked: number) => (asked < FREQUENT_ASKS ? askAgainAfter(asked) : HOURLY_MS);

/** A run that has waited so often goes on in a new one, rather than in a history that grows for months. */
const WAITS_PER_RUN = 100;

type Open = 'pending_review' | 'processing' | 'unknown';

/** What it waits for, as the operator reads it. */
const WAITS_FOR: Record<Open, string> = {
  pending_review: "Waits for an operator's decision.",
  processing: 'Submitted: the party has not decided yet.',
  unknown: 'The party gave no answer: it may have the submission. Its outcome is asked for.',
};

const isOpen = (progress: string): progress is Open => progress in WAITS_FOR;

/**
 * Leads a cardholder to its decision (`cardholder-submission-<cardholderId>`): the operator's review, then the submission
 * to the party and its outcome, each for as long as it takes. Ends where the client must do something, or nobody need;
 * the client's next call begins it again.
 * @param asked how often the outcome was asked for before this run
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

/** Each line that is shown costs an event of history: the same one is not shown again. */
function showChanges(): (status: string, details?: string) => void {
  let shown = '';
  return (status, details = status) => {
    if (details !== shown) showStatus(status, details);
    shown = details;
  };
}

/** A party that cannot be reached is tried for about a day. */
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
