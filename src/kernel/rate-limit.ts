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

/**
 * Buckets in this process's memory. Behind several API processes each keeps its own, so a tenant's limit is per process:
 * the limit protects a process from a tenant, it is no quota that is sold.
 * @param now milliseconds, monotonic
 */
export function createRateLimiter(now: () => number = () => performance.now()) {
  const buckets = new Map<string, { tokens: number; at: number }>();

  return function spend(tenantId: string, limit: RateLimit): Spent {
    const at = now();
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
