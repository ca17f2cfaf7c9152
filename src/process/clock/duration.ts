import { z } from 'zod';

const DAY_SECONDS = 24 * 60 * 60;
const MAX_DAYS = 400;
const UNITS = [7 * DAY_SECONDS, DAY_SECONDS, 3_600, 60, 1];
/** Weeks, days, hours, minutes and seconds. Years and months are left out, because their lengths differ. */
const DURATION = /^P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;
const MESSAGE = `must be a duration of ISO 8601 such as PT24H or P30D, above 0 and at most ${MAX_DAYS} days`;

/** @param text a duration of this pattern. @returns whole seconds; 0 for a text that ends with its T */
function secondsOf(text: string): number {
  if (text.endsWith('T')) return 0;
  const [, ...counts] = DURATION.exec(text) ?? [];
  return UNITS.reduce((sum, seconds, place) => sum + seconds * Number(counts[place] ?? 0), 0);
}

/** A duration of ISO 8601 above zero and at most 400 days. Parsing gives whole seconds. */
export const duration = () =>
  z
    .string()
    .regex(DURATION, MESSAGE)
    .transform(secondsOf)
    .refine((seconds) => seconds > 0 && seconds <= MAX_DAYS * DAY_SECONDS, MESSAGE)
    .meta({ examples: ['PT24H'] });
