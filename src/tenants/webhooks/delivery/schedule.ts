/** Seconds before each retry of a delivery (decisions part 4, Webhooks). After the last it is `failed`. */
export const RETRY_SECONDS = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200] as const;
/** The first attempt and its retries. */
export const MAX_ATTEMPTS = 1 + RETRY_SECONDS.length;
const LAST = RETRY_SECONDS.length - 1;

/** How far a wait is stretched or shortened at random, so that what failed together does not come back together. */
const JITTER = 0.1;
/** A receiver's `Retry-After` is honoured up to a day. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * Where in the schedule an endpoint stands.
 * @param index of {@link RETRY_SECONDS}: kept when another delivery is tried, so that a dead endpoint is not hammered
 */
export interface NextProbe {
  index: number;
  waitMs: number;
}

/** The first probe of an endpoint that began to fail, however often the deliveries that it refused have been tried. */
export function firstProbe(jitter: number): NextProbe {
  return probeAt(0, jitter, 0);
}

/** The probe after a failed one, whichever delivery is tried: the schedule goes on, and stays at its last interval. */
export function probeAfter(index: number, jitter: number, retryAfterMs = 0): NextProbe {
  return probeAt(Math.min(LAST, index + 1), jitter, retryAfterMs);
}

/** Milliseconds until a delivery that has failed is tried again. @param attempts that it has now had */
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

/** Milliseconds of a `Retry-After` in seconds or as an HTTP date; 0 when there is none or it cannot be read. */
export function retryAfterMs(header: string | undefined, now: number): number {
  const seconds = /^\s*(\d+)\s*$/.exec(header ?? '');
  if (seconds) return Math.min(LONGEST_RETRY_AFTER_MS, Number(seconds[1]) * 1000);
  const date = /^\s*[A-Z][a-z]{2}, .+ GMT\s*$/.test(header ?? '') ? Date.parse(header ?? '') : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, date - now));
}
