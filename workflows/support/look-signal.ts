import type { Duration } from '@temporalio/common';
import { condition, defineSignal, setHandler } from '@temporalio/workflow';
import { LOOK } from '../../src/kernel/temporal/signals';

/** "Your record has changed: look." Sent by the relay; carries nothing. */
export const lookSignal = defineSignal(LOOK);

/** The signals to look that this run has had. However many come at once, they are one reason to look. */
export interface Looks {
  /**
   * Waits until the record should be read again.
   * @param forAtMost milliseconds, or a duration such as `5 seconds`; without it, for ever
   * @returns true when it was told to look, false when the time has passed
   */
  next(forAtMost?: Duration): Promise<boolean>;
  /** Waits until the record should be read again, or this holds. */
  nextOr(holds: () => boolean): Promise<void>;
  /** What was told is answered by the step that begins now. */
  take(): void;
  /** Whether a signal came since the last `next` ended. A run that is about to end, or to continue as new, asks. */
  waiting(): boolean;
}

/** Begins to listen. Call it before anything else: a workflow that `look` has started finds that signal waiting. */
export function listenForLooks(): Looks {
  let told = false;
  setHandler(lookSignal, () => {
    told = true;
  });
  return {
    async next(forAtMost) {
      if (forAtMost === undefined) await condition(() => told);
      else await condition(() => told, forAtMost);
      const came = told;
      told = false;
      return came;
    },
    async nextOr(holds) {
      await condition(() => told || holds());
      told = false;
    },
    take() {
      told = false;
    },
    waiting: () => told,
  };
}
