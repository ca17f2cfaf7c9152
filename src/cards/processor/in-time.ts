import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerWithin, Stopwatch } from '../services';

/** Together less than the second that a network waits. */
export const WITHIN: AnswerWithin = { judgeMs: 800, keepMs: 150 };

export const MONOTONIC: Stopwatch = {
  now: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Nothing where it takes longer. */
export async function inTime<T>(work: Promise<T>, stopwatch: Stopwatch, ms: number): Promise<T | undefined> {
  const timer = new AbortController();
  const nothing = () => undefined;
  const late = stopwatch.wait(ms, timer.signal).then(nothing, nothing);
  work.catch(nothing); // where it fails later, nobody hears it any more
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
