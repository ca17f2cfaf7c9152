import type { ActivityOptions } from '@temporalio/workflow';

/**
 * Options of activities that ask a party. The retries are unlimited, because only the party's answer ends the process.
 * The longest interval is five minutes, so that work goes on soon after an outage. Retries add no events to the
 * history.
 */
export const askingParty: ActivityOptions = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
};

const FIRST_MS = 500;
const LONGEST_MS = 10 * 60_000;

/**
 * Interval before a party is asked for the outcome of an order. It begins with half a second, because most parties
 * decide at once and a client waits. It doubles each time, up to ten minutes.
 * @param asked how often the party was asked before
 * @returns milliseconds
 */
export function askAgainAfter(asked: number): number {
  return Math.min(FIRST_MS * 2 ** asked, LONGEST_MS);
}
