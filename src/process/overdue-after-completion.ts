const DAY_MS = 24 * 60 * 60_000;

/**
 * When a completed record must be looked at again: a callback that tells of a return may be lost, so the party is asked
 * again so many days after completion, then no more.
 * @returns the next of these times; null when the last has passed
 */
export function dueAfterCompletion(days: readonly number[], completedAt: Date, now: Date): Date | null {
  const times = days.map((after) => completedAt.getTime() + after * DAY_MS);
  const next = times.find((time) => time > now.getTime());
  return next === undefined ? null : new Date(next);
}
