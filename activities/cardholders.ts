import type { Composed } from '../src/composition';
import type { CardholderStatus } from '../src/people/cardholders/record';
import { advanceCardholder } from '../src/people/cardholders/review/decision';
import { giveUpSubmission, submitToParty } from '../src/people/cardholders/review/submission';
import type { LOST } from '../src/process/lost-record';

/** Input of a step of a cardholder's workflow. The field names are fixed, because recorded histories contain them. */
export interface CardholderStep {
  cardholderId: string;
  /** When the workflow will advance the cardholder again: milliseconds since 1970, by the workflow's clock. */
  watchedUntil: number;
}

/** Idempotent: each step asks the review party under the key of the submission and records the answer once. */
export interface CardholderActivities {
  lookAtCardholder(step: CardholderStep): Promise<CardholderStatus | typeof LOST>;
  submitCardholder(step: CardholderStep): Promise<string>;
  /** Fails the submission after its last attempt. */
  giveUpSubmission(cardholderId: string): Promise<string>;
}

export function createCardholderActivities(services: Composed): CardholderActivities {
  return {
    lookAtCardholder: ({ cardholderId, watchedUntil }) =>
      advanceCardholder(services, cardholderId, services.productClock.fromWorkflow(watchedUntil)),
    submitCardholder: ({ cardholderId, watchedUntil }) =>
      submitToParty(services, cardholderId, services.productClock.fromWorkflow(watchedUntil)),
    giveUpSubmission: (cardholderId) => giveUpSubmission(services, cardholderId),
  };
}
