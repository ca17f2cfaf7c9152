/** A token bucket a tenant: `burst` tokens at most, `perSecond` of them back each second. */
export interface RateLimit {
  perSecond: number;
  burst: number;
}

export interface Spent {
  allowed: boolean;
  /** Whole tokens left. */
  remaining: number;
  /** Seconds until a token is there (when refused), or until the bucket is full. */
  reset: number;
}

/** Takes a token of a tenant's bucket, when there is one. */
export type RateLimiter = (tenantId: string, limit: RateLimit) => Spent;

/**
 * Buckets in this process's memory. Each holds this process's share of the limit, so that all processes together keep it
 * (decisions part 1, Limits).
 * @param now milliseconds, monotonic
 * @param share from 0 to 1, asked at each request
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

/** A bucket that cannot hold one token would refuse for ever: each process's holds one, however many they are. */
function shareOf({ perSecond, burst }: RateLimit, share: number): RateLimit {
  return { perSecond: perSecond * share, burst: Math.max(burst * share, Math.min(burst, 1)) };
}
