import type { Services } from '../services';
import type { Gatherer } from './events/batches/gather';
import type { Programmes } from './programmes/cache';

/** Dependencies of the card domains. */
export interface CardServices extends Services {
  programmes: Programmes;
  /** The gatherer of the process. It judges the card processor's messages and those of the sandbox. */
  gatherer: Gatherer;
  /** Time limits for authorizations of a network. Their defaults keep the answer within the network's second. */
  answerWithin?: AnswerWithin | undefined;
}

/** Time limits in milliseconds. */
export interface AnswerWithin {
  /** How long judging an authorization may take before it is declined. */
  judgeMs: number;
  /** How long recording such a decline may take before the answer is sent without it. */
  keepMs: number;
  /** Measures both limits. Default: the process's monotonic clock. */
  stopwatch?: Stopwatch;
}

/** A monotonic clock, in milliseconds. */
export interface Stopwatch {
  now(): number;
  /** @returns cancels the call */
  after(ms: number, call: () => void): () => void;
}
