import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerWithin, Stopwatch } from '../services';

/** Both together are less than the second that a network waits. */
export const WITHIN: AnswerWithin = { judgeMs: 800, keepMs: 150 };

export const MONOTONIC: Stopwatch = {
  now: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Waits for work until a deadline. @returns undefined at the deadline; the work goes on */
export async function inTime<T>(work: Promise<T>, stopwatch: Stopwatch, ms: number): Promise<T | undefined> {
  const timer = new AbortController();
  const nothing = () => undefined;
  const late = stopwatch.wait(ms, timer.signal).then(nothing, nothing);
  work.catch(nothing); // a later failure has no listener
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
