/** Summaries of activities and timers, as Temporal's UI shows them to operators. */

/**
 * Temporal refuses a summary of more than 400 bytes, encrypted and with the names of namespace and workflow. An id of a party may
 * be long.
 */
const LONGEST = 130;

/** A line that Temporal accepts. @param text ids, states, amounts and codes only, because every user of the UI reads it */
export const summaryOf = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;

const UNITS = [
  [24 * 60 * 60_000, 'd'],
  [60 * 60_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** A time in words, rounded to its largest unit: `5 min`. @param ms milliseconds */
export function inWords(ms: number): string {
  const [length, unit] = UNITS.find(([each]) => ms >= each) ?? [1, 'ms'];
  return `${Math.round(ms / length)} ${unit}`;
}

/** Summary of a timer before the next look. @param waits what is waited for, such as `waits for the payer` */
export const looksAgain = (waits: string, ms: number): string =>
  summaryOf(`${lowered(waits)}; looks again in ${inWords(ms)}`);

/** A sentence as part of a longer line. */
const lowered = (sentence: string): string =>
  sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
