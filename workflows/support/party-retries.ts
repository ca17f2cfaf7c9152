import type { ActivityOptions } from '@temporalio/workflow';

/**
 * For steps that ask a party. One that cannot be reached is asked again for as long as it takes: nothing but its own
 * answer ends the process. Five minutes at most between two attempts, so that work goes on soon after an outage of a
 * day, which costs about three hundred attempts and not one event of history.
 */
export const askingParty: ActivityOptions = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
};

const FIRST_MS = 500;
const LONGEST_MS = 10 * 60_000;

/**
 * How long to wait before a party that has taken an order is asked what became of it: half a second, since most
 * decide at once and somebody waits for it; then twice as long each time, up to ten minutes.
 * @param asked how often it was asked before
 * @returns milliseconds
 */
export function askAgainAfter(asked: number): number {
  return Math.min(FIRST_MS * 2 ** asked, LONGEST_MS);
}
