import { CancellationScope, sleep } from '@temporalio/workflow';

/** The step that a timer was for may find that its clock has not come to it yet: so long until it is taken again. */
const AGAIN_MS = 1_000;

export interface Alarm {
  /** @param time milliseconds since 1970 */
  setFor(time: number): void;
  /** Whether the time that it was set for last has come. */
  rings(): boolean;
}

/**
 * One timer at a time. Set for the time that it is set for already it goes on; one that is wanted no more is left to run, for
 * to cancel it costs an event of history, and most workflows end before it rings.
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
        () => undefined, // set for another time
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
