import type { Composed } from '../src/composition';
import type { CardholderStatus } from '../src/people/cardholders/record';
import { advanceCardholder } from '../src/people/cardholders/review/decision';
import { giveUpSubmission, submitToParty } from '../src/people/cardholders/review/submission';

/** A step of a cardholder's workflow. Its fields are in recorded histories, and keep their names. */
export interface CardholderStep {
  cardholderId: string;
  /** `dueBy`: when the workflow will advance it again, by its own clock, in milliseconds. */
  watchedUntil: number;
}

/** Idempotent: each step asks the party under the key of the submission, and records its answer once. */
export interface CardholderActivities {
  lookAtCardholder(step: CardholderStep): Promise<CardholderStatus>;
  submitCardholder(step: CardholderStep): Promise<string>;
  /** The attempts to submit are used up. */
  giveUpSubmission(cardholderId: string): Promise<string>;
}

export function createCardholderActivities(services: Composed): CardholderActivities {
  return {
    lookAtCardholder: ({ cardholderId, watchedUntil }) =>
      advanceCardholder(services, cardholderId, new Date(watchedUntil)),
    submitCardholder: ({ cardholderId, watchedUntil }) =>
      submitToParty(services, cardholderId, new Date(watchedUntil)),
    giveUpSubmission: (cardholderId) => giveUpSubmission(services, cardholderId),
  };
}
