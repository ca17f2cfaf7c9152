import type { AnswerWithin, Stopwatch } from '../services';

/** Both together are less than the second that a network waits. */
export const WITHIN: AnswerWithin = { judgeMs: 800, keepMs: 150 };

export const MONOTONIC: Stopwatch = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits for work until a deadline. @returns undefined at the deadline; the work goes on */
export function inTime<T>(work: Promise<T>, stopwatch: Stopwatch, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = stopwatch.after(ms, () => resolve(undefined));
    work.finally(cancel).then(resolve, reject); // a failure after the deadline has no effect
  });
}

export const pause = (stopwatch: Stopwatch, ms: number): Promise<void> =>
  new Promise((resolve) => void stopwatch.after(ms, resolve));
