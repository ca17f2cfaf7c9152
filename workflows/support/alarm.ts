import { CancellationScope, sleep } from '@temporalio/workflow';

/**
 * Wait before a repeated step, in milliseconds. The clock of the step's worker may be behind Temporal's, so that the
 * step finds its time not yet come.
 */
const AGAIN_MS = 1_000;

export interface Alarm {
  /**
   * @param time milliseconds since 1970
   * @param summary of a new timer, for operators, from its length in milliseconds
   */
  setFor(time: number, summary: (ms: number) => string): void;
  /** Whether the time of the last `setFor` has come. */
  rings(): boolean;
}

/**
 * Keeps one timer at a time. `setFor` with the same time keeps the running timer. A timer that is no longer needed runs
 * on, because a cancellation adds an event to the history and most workflows end first.
 */
export function createAlarm(): Alarm {
  let set: { time: number; rung: boolean; scope: CancellationScope } | undefined;

  function start(time: number, ms: number, summary: string): void {
    if (set && !set.rung) set.scope.cancel();
    const timer = { time, rung: false, scope: new CancellationScope() };
    set = timer;
    timer.scope
      .run(() => sleep(ms, { summary }))
      .then(
        () => {
          timer.rung = true;
        },
        () => undefined, // cancelled, because the alarm was set for another time
      );
  }

  return {
    setFor(time, summary) {
      const ms = set?.time === time ? AGAIN_MS : Math.max(1, time - Date.now());
      if (set?.time !== time || set.rung) start(time, ms, summary(ms));
    },
    rings: () => set?.rung ?? false,
  };
}
