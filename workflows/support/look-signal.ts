import { condition, defineSignal, setHandler } from '@temporalio/workflow';
import { LOOK } from '../../src/kernel/temporal/signals';

/** Tells a workflow that its record has changed. The relay sends it without arguments. */
export const lookSignal = defineSignal(LOOK);

/** The signals of this run. Several signals before a look are one reason to look. */
export interface Looks {
  /**
   * Waits until a signal comes or the time has passed.
   * @param ms milliseconds
   * @param summary of the timer, for operators
   * @returns true after a signal, false after the time
   */
  within(ms: number, summary: string): Promise<boolean>;
  /** Waits until a signal comes. */
  next(): Promise<void>;
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
  setHandler(
    lookSignal,
    () => {
      told = true;
    },
    { description: 'The record has changed: the workflow reads it.' },
  );
  return {
    async within(ms, summary) {
      await condition(() => told, ms, { summary });
      const came = told;
      told = false;
      return came;
    },
    async next() {
      await condition(() => told);
      told = false;
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
