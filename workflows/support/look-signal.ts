import type { Duration } from '@temporalio/common';
import { condition, defineSignal, setHandler } from '@temporalio/workflow';
import { LOOK } from '../../src/kernel/temporal/signals';

/** Tells a workflow that its record has changed. The relay sends it without arguments. */
export const lookSignal = defineSignal(LOOK);

/** The signals of this run. Several signals before a look are one reason to look. */
export interface Looks {
  /**
   * Waits until a signal comes or the time has passed.
   * @param forAtMost milliseconds, or a duration such as `5 seconds`. Default: no limit
   * @returns true after a signal, false after the time
   */
  next(forAtMost?: Duration): Promise<boolean>;
  /** Waits until a signal comes or the condition holds. */
  nextOr(holds: () => boolean): Promise<void>;
  /** Clears the signals so far. Call it right before a step, because the step answers them. */
  take(): void;
  /** Whether a signal is unanswered. Check it before a run ends or continues as new. */
  waiting(): boolean;
}

/** Begins to listen. Call it first in a workflow, because the signal that started the workflow is already waiting. */
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
