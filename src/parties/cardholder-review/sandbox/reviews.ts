import type { Tx } from '../../../kernel/db/database';
import { changeTimes, recordChange, versionAt } from '../../sandbox/changes';
import type { PartyOptions } from '../../sandbox/options';
import { secondsAfter, secondsSince } from '../../sandbox/time';
import type { ReviewWord } from '../word';
import { reviewScenarioOf } from './scenarios';
import { findReview, lockReview, noteCall, type SandboxReview } from './store';

/** Seconds from an application to its decision, unless the scenario sets another time. */
const DECISION_SECONDS = 1;

type Own = Pick<PartyOptions, 'now' | 'decisionSeconds'>;

export type ToldReview = { key: string } & ReviewWord;

interface HandedIn {
  key: string;
  scenario: string | null;
  callbackUrl: string;
}

/** Takes an application. @returns its present state, or why the caller gets no answer */
export async function takeApplication(
  tx: Tx,
  { callbackUrl, ...given }: HandedIn,
  own: Own,
): Promise<ToldReview | 'unreachable' | 'silent'> {
  const review = await lockReview(tx, given, own.now());
  const at = own.now();
  const { key, calls, takenAt } = review;
  const { losesFirstApplication, losesFirstAnswer } = reviewScenarioOf(review.scenario);
  if (isUnreachable(review, at)) return 'unreachable';
  const first = calls === 0;
  const isLost = first && losesFirstApplication === true;
  noteCall(tx, key, isLost ? null : at);
  if (isLost) return 'silent';
  const taken = { ...review, takenAt: takenAt ?? at };
  if (!takenAt) {
    const record = { party: 'cardholder-review', ref: key, callbackUrl } as const;
    recordChange(tx, record, [{ at, quiet: true }], momentsOf(taken, own));
  }
  if (first && losesFirstAnswer === true) return 'silent';
  // An application that was taken now has changed once.
  if (!takenAt) return wordAt(taken, 1, at, own);
  return wordAt(taken, versionAt(await changeTimes(tx, 'cardholder-review', key), at), at, own);
}

/** Undefined where no application with that key was taken. */
export async function presentReview(
  tx: Tx,
  key: string,
  own: Own,
): Promise<ToldReview | 'unreachable' | undefined> {
  const [review, times] = await Promise.all([findReview(tx, key), changeTimes(tx, 'cardholder-review', key)]);
  const at = own.now();
  if (review && isUnreachable(review, at)) return 'unreachable';
  return review?.takenAt ? wordAt(review, versionAt(times, at), at, own) : undefined;
}

function isUnreachable({ scenario, firstAskedAt }: SandboxReview, at: Date): boolean {
  return secondsSince(firstAskedAt, at) < (reviewScenarioOf(scenario).unreachableSeconds ?? 0);
}

/** Unusable data is refused at once. Infinity: the reviewer never decides. */
function decisionSecondsOf({ scenario }: SandboxReview, { decisionSeconds: usual }: Own): number {
  const { refusal, decisionSeconds = usual ?? DECISION_SECONDS } = reviewScenarioOf(scenario);
  return refusal === undefined ? decisionSeconds : 0;
}

function momentsOf(review: SandboxReview, own: Own): { at: Date }[] {
  const seconds = decisionSecondsOf(review, own);
  return Number.isFinite(seconds) ? [{ at: secondsAfter(review.takenAt as Date, seconds) }] : [];
}

/** The state of a taken application at that time. */
function wordAt(review: SandboxReview, version: number, at: Date, own: Own): ToldReview {
  const { key, takenAt, scenario } = review;
  const { refusal, rejection } = reviewScenarioOf(scenario);
  if (secondsSince(takenAt as Date, at) < decisionSecondsOf(review, own))
    return { key, version, status: 'processing' };
  if (refusal !== undefined) return { key, version, status: 'refused', reason: refusal };
  if (rejection !== undefined) return { key, version, status: 'rejected', reason: rejection };
  return { key, version, status: 'passed' };
}
