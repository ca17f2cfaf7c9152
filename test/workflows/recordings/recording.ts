import { createKeyring } from '../../../src/kernel/security/keyring';
import type * as workflows from '../../../workflows';

/** An answer that depends on the server's clock, in milliseconds since 1970. */
export type ClockedAnswer = (now: number) => unknown;
/** An activity answers with a value, with a `ClockedAnswer`, or with the type of a failure after a `!`. */
export type Answer = unknown;
/** The answers of each activity, in the order of its calls. */
export type Answers = Record<string, Answer[]>;

/** One path through a workflow, recorded as `<workflow>.<path>.json`. */
export interface Path {
  answers: Answers;
  /** The arguments of the run; those of the workflow when absent. */
  args?: unknown[];
  /** When the recorder sends the signal to look: with the start, or in the wait that follows so many answers. */
  look?: 'with-start' | { afterAnswers: number };
  secondRun?: SecondRun;
  /** Records through the product's payload codec, under the key of `historyKeyring`. */
  encrypted?: true;
  /** The workflow never completes, so the run fails when its answers are used up. */
  endless?: true;
}

/** The first run repeats its last answers until it continues as new; then these answers begin. */
export interface SecondRun {
  answers: Answers;
  /**
   * `server-suggests`: a real server suggests it after few events, and both runs are kept. `many-looks`: the workflow counts its
   * looks, and only the second run is kept because the first one has a thousand events.
   */
  after: 'server-suggests' | 'many-looks';
}

export interface Recorded {
  args: unknown[];
  paths: Record<string, Path>;
}

export type WorkflowName = keyof typeof workflows;
export type RecordedWorkflows = Partial<Record<WorkflowName, Recorded>>;

/** The key of all encrypted histories. It protects nothing: the test data is public. */
export const historyKeyring = () => createKeyring(Buffer.alloc(32, 'histories'));

export const times = <T>(count: number, answer: T): T[] => Array.from({ length: count }, () => answer);

/** This deadline has passed, so the workflow looks again at once. */
export const DEADLINE = 1;
export const HOUR_MS = 60 * 60_000;

/** Answers of the transfer engine's step. */
export const waits = (status: string, lookAt: number | null = null) => ({ status, open: true, lookAt });
export const ends = (status: string) => ({ status, open: false, lookAt: null });

/**
 * The paths that every workflow of the transfer engine has, beside its own.
 * @param activity its only activity
 * @param statuses one that waits and one that ends the transfer
 */
export function followed(
  id: string,
  activity: string,
  statuses: { waiting: string; ended: string },
  own: Record<string, Omit<Path, 'answers'> & { answers: Answer[] }>,
): Recorded {
  const { waiting, ended } = statuses;
  const paths = Object.entries(own).map(([name, path]): [string, Path] => [
    name,
    { ...path, answers: { [activity]: path.answers } },
  ]);
  return {
    args: [id],
    paths: {
      ...Object.fromEntries(paths),
      'look-in-wait': {
        answers: { [activity]: [waits(waiting), ends(ended)] },
        look: { afterAnswers: 1 },
      },
      continued: {
        answers: { [activity]: [waits(waiting, DEADLINE)] },
        secondRun: {
          answers: { [activity]: [waits(waiting, DEADLINE), ends(ended)] },
          after: 'server-suggests',
        },
      },
    },
  };
}

/** The paths of a watcher, which never ends: a run that continues as new, and the run after it, cut short. */
export function watcher(args: unknown[], activity: string, answer: Answer): Recorded {
  return {
    args,
    paths: {
      continued: {
        answers: { [activity]: [answer] },
        secondRun: { answers: { [activity]: [answer] }, after: 'server-suggests' },
        endless: true,
      },
    },
  };
}
