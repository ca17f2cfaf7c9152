import type { Database } from '../../../kernel/db/database';
import { secondsSince } from '../../sandbox/time';
import {
  type Application,
  type CardholderReview,
  ReviewerTimeout,
  ReviewerUnreachable,
  type ReviewOutcome,
} from '../port';
import { reviewScenarioOf } from './scenarios';
import { countCall, findReview, lockReview, type SandboxReview, take } from './store';

export interface SandboxReviewOptions {
  database: Database;
  now?: () => Date;
  /** From an application to its decision where the scenario says nothing else. */
  decisionSeconds?: number;
}

const DECISION_SECONDS = 1;

/**
 * A reviewer of cardholders in a table of its own. It commits by itself, as an outside party would: what it took stays
 * taken although its caller may fail afterwards. Faults come from the person's `accountPurpose` (scenarios.ts),
 * never by chance. It sends no callbacks: whoever hands in an application asks for its outcome.
 */
export function createSandboxCardholderReview(options: SandboxReviewOptions): CardholderReview {
  const { database, now = () => new Date(), decisionSeconds = DECISION_SECONDS } = options;

  /** What the reviewer does with an application, and what its caller gets to know of it. */
  function handIn(key: string, { person }: Application): Promise<ReviewOutcome | Error> {
    return database.transaction(async (tx) => {
      const at = now();
      const { accountPurpose = null } = reviewScenarioOf(person['accountPurpose']);
      const review = await lockReview(tx, { key, scenario: accountPurpose, at });
      const scenario = reviewScenarioOf(review.scenario);
      if (isUnreachable(review, at)) return new ReviewerUnreachable();
      await countCall(tx, key);
      const first = review.calls === 0;
      if (first && scenario.losesFirstApplication) return new ReviewerTimeout();
      if (!review.takenAt) await take(tx, key, at);
      if (first && scenario.losesFirstAnswer) return new ReviewerTimeout();
      return decided({ ...review, takenAt: review.takenAt ?? at }, at, decisionSeconds);
    });
  }

  return {
    async submit(key, application) {
      const outcome = await handIn(key, application);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    async outcome(key) {
      const review = await findReview(database, key);
      if (review && isUnreachable(review, now())) throw new ReviewerUnreachable();
      return review?.takenAt ? decided(review, now(), decisionSeconds) : undefined;
    },
  };
}

function isUnreachable({ scenario, firstAskedAt }: SandboxReview, at: Date): boolean {
  return secondsSince(firstAskedAt, at) < (reviewScenarioOf(scenario).unreachableSeconds ?? 0);
}

function decided(review: SandboxReview, at: Date, usualSeconds: number): ReviewOutcome {
  const { refusal, rejection, decisionSeconds = usualSeconds } = reviewScenarioOf(review.scenario);
  if (refusal !== undefined) return { status: 'refused', reason: refusal };
  if (secondsSince(review.takenAt as Date, at) < decisionSeconds) return { status: 'processing' };
  return rejection === undefined ? { status: 'passed' } : { status: 'rejected', reason: rejection };
}
