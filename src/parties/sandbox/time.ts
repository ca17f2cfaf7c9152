/** What a sandbox party does goes by the clock that it is given. */

export const secondsSince = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000;

export const secondsAfter = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000);
