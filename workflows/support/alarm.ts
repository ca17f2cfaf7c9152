import { CancellationScope, sleep } from '@temporalio/workflow';

/**
 * Wait before a repeated step, in milliseconds. The clock of the step's worker may be behind Temporal's, so that the
 * step finds its time not yet come.
 */
const AGAIN_MS = 1_000;

export interface Alarm {
  /** @param time milliseconds since 1970 */
  setFor(time: number): void;
  /** Whether the time of the last `setFor` has come. */
  rings(): boolean;
}

/**
 * Keeps one timer at a time. `setFor` with the same time keeps the running timer. A timer that is no longer needed runs
 * on, because a cancellation adds an event to the history and most workflows end first.
 */
export function createAlarm(): Alarm {
  let set: { time: number; rung: boolean; scope: CancellationScope } | undefined;

  function start(time: number, ms: number): void {
    if (set && !set.rung) set.scope.cancel();
    const timer = { time, rung: false, scope: new CancellationScope() };
    set = timer;
    timer.scope
      .run(() => sleep(ms))
      .then(
        () => {
          timer.rung = true;
        },
        () => undefined, // cancelled, because the alarm was set for another time
      );
  }

  return {
    setFor(time) {
      if (set?.time !== time) start(time, Math.max(1, time - Date.now()));
      else if (set.rung) start(time, AGAIN_MS);
    },
    rings: () => set?.rung ?? false,
  };
}
