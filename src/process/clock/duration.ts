import { z } from 'zod';

const DAY_SECONDS = 24 * 60 * 60;
const MAX_DAYS = 400;
const UNITS = { weeks: 7 * DAY_SECONDS, days: DAY_SECONDS, hours: 3_600, minutes: 60, seconds: 1 };
/** Years and months are left out, because their lengths differ. */
const DURATION =
  /^P(?=.)(?:(?<weeks>\d+)W)?(?:(?<days>\d+)D)?(?:T(?=.)(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+)S)?)?$/;
const MAX_LENGTH = 40;

/** A duration of ISO 8601 in weeks, days, hours, minutes and seconds. @returns whole seconds, undefined for another text */
export function secondsOf(text: string): number | undefined {
  const { groups } = DURATION.exec(text) ?? {};
  if (!groups) return undefined;
  return Object.entries(UNITS).reduce((sum, [unit, seconds]) => sum + Number(groups[unit] ?? 0) * seconds, 0);
}

/** Above zero and at most 400 days. The schema's output is whole seconds. */
export const durationSchema = z
  .string()
  .max(MAX_LENGTH)
  .transform((text, context) => {
    const seconds = secondsOf(text);
    if (seconds !== undefined && seconds > 0 && seconds <= MAX_DAYS * DAY_SECONDS) return seconds;
    context.addIssue({
      code: 'custom',
      message: `must be a duration of ISO 8601 such as PT24H or P30D, above 0 and at most ${MAX_DAYS} days, without years and months`,
    });
    return z.NEVER;
  })
  .meta({ examples: ['PT24H'] });
