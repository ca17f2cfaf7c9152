import type { DeskSignIn } from '../../kernel/config/config';
import type { DeskSession, Failures } from './record';

/** Milliseconds. */
export const SESSION_MS = 12 * 3_600_000;

/** Settings that make signing in stricter. Without a lock, a name that fails waits at most 15 minutes. */
export type SignInRules = DeskSignIn;

export const SIGN_IN_RULES: SignInRules = { restMs: 30 * 60_000, lock: undefined };

/** Failures in a row that cost no wait. */
const FREE_FAILURES = 5;
const MAX_WAIT_MS = 15 * 60_000;
/** A failure older than this counts no more. */
export const FORGOTTEN_MS = 24 * 3_600_000;

/**
 * Milliseconds until the next attempt: 1 s after five failures in a row, doubled with each more, at most 15 min. An
 * installation may lock the name for longer.
 */
export function waitOf({ failures, failedAt }: Failures, now: Date, { lock }: SignInRules): number {
  const doubled =
    failures < FREE_FAILURES ? 0 : Math.min(1_000 * 2 ** Math.min(failures - FREE_FAILURES, 20), MAX_WAIT_MS);
  const locked = lock && failures >= lock.failures ? lock.milliseconds : 0;
  return Math.max(0, failedAt.getTime() + Math.max(doubled, locked) - now.getTime());
}

/** Whether the session is still good: begun within 12 h, used within its rest, and not ended. */
export const isLive = (
  { createdAt, seenAt, endedAt }: Pick<DeskSession, 'createdAt' | 'seenAt' | 'endedAt'>,
  now: Date,
  { restMs }: SignInRules,
): boolean =>
  endedAt === null &&
  now.getTime() < createdAt.getTime() + SESSION_MS &&
  now.getTime() < seenAt.getTime() + restMs;
