import { Problem } from '../../kernel/errors';
import type { RateLimiter } from '../../kernel/rate-limit';

/** Requests of one operator to one process, by all faces together. */
export const RATE_LIMIT = { perSecond: 100, burst: 200 };

/** Counts a request of an operator that `createApp` does not count. @throws Problem 429 */
export function assertWithinRate(spend: RateLimiter, actor: string): void {
  const { allowed, reset } = spend(actor, RATE_LIMIT);
  if (allowed) return;
  const seconds = reset === 1 ? '1 second' : `${reset} seconds`;
  throw new Problem(429, 'rate_limited', `Too many requests. Try again in ${seconds}.`, undefined, reset);
}
