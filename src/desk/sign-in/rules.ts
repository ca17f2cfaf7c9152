import type { DeskSession, Failures } from './record';

/** Milliseconds. */
export const SESSION_MS = 12 * 3_600_000;
export const REST_MS = 30 * 60_000;

/** Failures in a row that cost no wait. */
const FREE_FAILURES = 5;
const MAX_WAIT_MS = 15 * 60_000;
/** A failure older than this counts no more. */
export const FORGOTTEN_MS = 24 * 3_600_000;

/** Milliseconds until the next attempt: 1 s after five failures in a row, doubled with each more, at most 15 min. */
export function waitOf({ failures, failedAt }: Failures, now: Date): number {
  if (failures < FREE_FAILURES) return 0;
  const wait = Math.min(1_000 * 2 ** Math.min(failures - FREE_FAILURES, 20), MAX_WAIT_MS);
  return Math.max(0, failedAt.getTime() + wait - now.getTime());
}

/** Whether the session is still good: begun within 12 h, used within 30 min, and not ended. */
export const isLive = (
  { createdAt, seenAt, endedAt }: Pick<DeskSession, 'createdAt' | 'seenAt' | 'endedAt'>,
  now: Date,
): boolean =>
  endedAt === null &&
  now.getTime() < createdAt.getTime() + SESSION_MS &&
  now.getTime() < seenAt.getTime() + REST_MS;
