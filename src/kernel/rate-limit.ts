/** Token bucket of a tenant: at most `burst` tokens, refilled by `perSecond` each second. */
export interface RateLimit {
  perSecond: number;
  burst: number;
}

export interface Spent {
  allowed: boolean;
  /** Whole tokens left. */
  remaining: number;
  /** Seconds until the next token when refused, else until the bucket is full. */
  reset: number;
}

/** Takes a token from a tenant's bucket, if one is left. */
export type RateLimiter = (tenantId: string, limit: RateLimit) => Spent;

/**
 * Keeps the buckets in memory. Each bucket has this process's share of the limit, so that all processes together keep
 * the limit (decisions part 1, Limits).
 * @param now milliseconds, monotonic
 * @param share from 0 to 1, read at each request
 */
export function createRateLimiter(
  now: () => number = () => performance.now(),
  share: () => number = () => 1,
): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();

  return function spend(tenantId, whole) {
    const at = now();
    const limit = shareOf(whole, share());
    const bucket = buckets.get(tenantId) ?? { tokens: limit.burst, at };
    bucket.tokens = Math.min(limit.burst, bucket.tokens + ((at - bucket.at) / 1000) * limit.perSecond);
    bucket.at = at;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    buckets.set(tenantId, bucket);
    const missing = allowed ? limit.burst - bucket.tokens : 1 - bucket.tokens;
    return { allowed, remaining: Math.floor(bucket.tokens), reset: Math.ceil(missing / limit.perSecond) };
  };
}

/**
 * Scales the limit. A bucket keeps room for one token in any case, because a smaller one would refuse every request.
 */
function shareOf({ perSecond, burst }: RateLimit, share: number): RateLimit {
  return { perSecond: perSecond * share, burst: Math.max(burst * share, Math.min(burst, 1)) };
}
