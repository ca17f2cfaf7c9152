/** Sandbox parties take the time from an injected clock. */

export const secondsSince = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000;

export const secondsAfter = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000);
