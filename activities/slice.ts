import type { Info } from '@temporalio/activity';

/** How long one run of an endless activity lasts. A longer run adds fewer events to the workflow's history. */
const SLICE_MS = 10 * 60_000;
/**
 * Length of a run that repeats a failed one, for instance after its worker was killed. The next run is then a first
 * attempt again and does not read as failing.
 */
const RECOVERED_MS = 15_000;

/** @returns milliseconds */
export const sliceOf = ({ attempt }: Pick<Info, 'attempt'>, sliceMs = SLICE_MS): number =>
  attempt > 1 ? Math.min(sliceMs, RECOVERED_MS) : sliceMs;
