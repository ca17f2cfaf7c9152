import type { Info } from '@temporalio/activity';

/** An activity that follows something ends this long before its time-out, to finish what is under way. */
const SPARE_MS = 2 * 60_000;
/**
 * Length of a run that repeats a failed one, for instance after its worker was killed. The next run is then a first
 * attempt again and does not read as failing.
 */
const RECOVERED_MS = 15_000;

/**
 * How long one run of an endless activity lasts. Its workflow's time-out decides, so that a run that an earlier release has scheduled
 * ends in time. A longer run adds fewer events to the workflow's history.
 * @returns milliseconds
 */
export function sliceOf(
  { attempt, startToCloseTimeoutMs }: Pick<Info, 'attempt' | 'startToCloseTimeoutMs'>,
  sliceMs = startToCloseTimeoutMs - SPARE_MS,
): number {
  return attempt > 1 ? Math.min(sliceMs, RECOVERED_MS) : sliceMs;
}
