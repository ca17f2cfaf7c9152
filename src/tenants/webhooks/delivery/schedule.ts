/** Seconds before each retry of a delivery (decisions part 4, Webhooks). After the last retry it is `failed`. */
export const RETRY_SECONDS = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200] as const;
/** First attempt and retries. */
export const MAX_ATTEMPTS = 1 + RETRY_SECONDS.length;
const LAST = RETRY_SECONDS.length - 1;

/** Random variation of a wait, so that deliveries that failed together do not return together. */
const JITTER = 0.1;
/** Longest `Retry-After` that is honoured: one day. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * Position of an endpoint in the schedule.
 * @param index in {@link RETRY_SECONDS}; kept when another delivery is tried, so that a dead endpoint is not hammered
 */
export interface NextProbe {
  index: number;
  waitMs: number;
}

/** First probe of an endpoint that began to fail, independent of the attempts of its deliveries. */
export function firstProbe(jitter: number): NextProbe {
  return probeAt(0, jitter, 0);
}

/**
 * Probe after a failed one, with any delivery. The schedule goes on and stays at its last interval.
 * @param maxMs longest wait, which only `Retry-After` exceeds
 */
export function probeAfter(
  index: number,
  jitter: number,
  retryAfterMs = 0,
  maxMs = Number.POSITIVE_INFINITY,
): NextProbe {
  const { index: next, waitMs } = probeAt(Math.min(LAST, index + 1), jitter, 0);
  return { index: next, waitMs: Math.max(Math.min(waitMs, maxMs), retryAfterMs) };
}

/** Milliseconds until a failed delivery is retried. @param attempts including the failed one */
export function retryIn(attempts: number, jitter: number, retryAfterMs = 0): number {
  return probeAt(Math.min(LAST, Math.max(0, attempts - 1)), jitter, retryAfterMs).waitMs;
}

function probeAt(index: number, jitter: number, retryAfterMs: number): NextProbe {
  const seconds: number = RETRY_SECONDS[index] ?? 43_200;
  return { index, waitMs: Math.max(Math.round(seconds * 1000 * jitter), retryAfterMs) };
}

/** @param random from 0 to 1 */
export function jitterOf(random: number): number {
  return 1 - JITTER + 2 * JITTER * random;
}

/** Milliseconds of a `Retry-After` in seconds or as an HTTP date. 0 when absent or unreadable. */
export function retryAfterMs(header: string | undefined, now: number): number {
  const seconds = /^\s*(\d+)\s*$/.exec(header ?? '');
  if (seconds) return Math.min(LONGEST_RETRY_AFTER_MS, Number(seconds[1]) * 1000);
  const date = /^\s*[A-Z][a-z]{2}, .+ GMT\s*$/.test(header ?? '') ? Date.parse(header ?? '') : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, date - now));
}
