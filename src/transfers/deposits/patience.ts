/** What a deposit waits for; nothing where it has ended. */
export type WaitsFor = 'payment' | 'settlement' | 'review' | 'return' | 'refund';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Callbacks tell at once; the party is asked all the same, for one may be lost. At first after so long, then twice as
 * long each time, up to so long: a payer acts in minutes, a bank in days, and a person's decision is told by itself.
 */
const PATIENCE: Record<WaitsFor, { first: number; longest: number }> = {
  payment: { first: 5 * MINUTE_MS, longest: 15 * MINUTE_MS },
  settlement: { first: MINUTE_MS, longest: HOUR_MS },
  review: { first: HOUR_MS, longest: 12 * HOUR_MS },
  return: { first: MINUTE_MS, longest: HOUR_MS },
  refund: { first: MINUTE_MS, longest: HOUR_MS },
};

/** @param turns how often it was waited for the same before. @returns milliseconds */
export function patience(waitsFor: WaitsFor, turns: number): number {
  const { first, longest } = PATIENCE[waitsFor];
  return Math.min(first * 2 ** turns, longest);
}
