import type { Services } from '../services';
import type { Gatherer } from './events/batches/gather';
import type { Programmes } from './programmes/cache';

/** What the domains of cards are given. */
export interface CardServices extends Services {
  programmes: Programmes;
  /** One a process: what the card processor says, and the sandbox in its place, is judged here. */
  gatherer: Gatherer;
  /** {@link AnswerWithin} of a network's authorizations; less than its second where absent. */
  answerWithin?: AnswerWithin | undefined;
}

/** Milliseconds. */
export interface AnswerWithin {
  /** How long an authorization may take to be judged, before it is declined. */
  judgeMs: number;
  /** How long its decline may take to be written down, before it is answered all the same. */
  keepMs: number;
  /** Measures both; the process's monotonic clock where absent. */
  stopwatch?: Stopwatch;
}

/** Milliseconds that only go forward. */
export interface Stopwatch {
  now(): number;
  /** @param signal ends the wait with an error */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}
