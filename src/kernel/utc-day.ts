const DAY_MS = 86_400_000;

/** The midnight, in UTC, that began the day of a moment. */
export const startOfDay = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
