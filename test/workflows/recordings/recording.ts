import type * as workflows from '../../../workflows';
import { testKeyring } from '../../support/keyring';

/** An answer that depends on the server's clock, in milliseconds since 1970. */
export type ClockedAnswer = (now: number) => unknown;
/** An activity answers with a value, with a `ClockedAnswer`, or with the type of a failure after a `!`. */
export type Answer = unknown;
/** The answers of each activity, in the order of its calls. */
export type Answers = Record<string, Answer[]>;

/** One path through a workflow, recorded as `<workflow>.<path>.json`. */
export interface Path {
  answers: Answers;
  /** The arguments of the run. Default: those of the workflow. */
  args?: unknown[];
  /** When the recorder sends the signal: with the start, or in the wait after this number of answers. */
  look?: 'with-start' | { afterAnswers: number };
  secondRun?: SecondRun;
  /** Records through the product's payload codec, under the key of `historyKeyring`. */
  encrypted?: true;
  /** The workflow never completes. The run fails when its answers are used up. */
  endless?: true;
}

/** Answers of the run after the first one, which repeats its last answers until it continues as new. */
export interface SecondRun {
  answers: Answers;
  /**
   * `server-suggests`: a real server suggests it after few events, and both runs are kept. `many-looks`: the workflow
   * counts its looks. Only the second run is kept, because the first one has a thousand events.
   */
  after: 'server-suggests' | 'many-looks';
}

export interface Recorded {
  args: unknown[];
  paths: Record<string, Path>;
}

export type WorkflowName = keyof typeof workflows;
export type RecordedWorkflows = Partial<Record<WorkflowName, Recorded>>;

/** The key of all encrypted histories. The key is public, because the test data is public. */
export const historyKeyring = () => testKeyring(Buffer.alloc(32, 'histories'));

export const times = <T>(count: number, answer: T): T[] => Array.from({ length: count }, () => answer);

/** A deadline in the past, so that the workflow looks again at once. */
export const DEADLINE = 1;
export const HOUR_MS = 60 * 60_000;

/** An answer of the transfer engine's step. */
export const waits = (status: string, lookAt: number | null = null) => ({ status, open: true, lookAt });
export const ends = (status: string) => ({ status, open: false, lookAt: null });

/**
 * The paths that all workflows of the transfer engine share.
 * @param activity the only activity of the workflow
 * @param statuses a waiting status and a final one
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

/** The path of a watcher, which never ends: a run that continues as new, and a later run that is cut short. */
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
