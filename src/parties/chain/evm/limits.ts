import { setTimeout as sleep } from 'node:timers/promises';
import { Limited } from './faults';

/** Rest of a node that does not tell how long. Milliseconds. */
const REST_MS = 2_000;
/** Bounds of a rest that a node asks for. Milliseconds. */
const SHORTEST_REST_MS = 1_000;
const LONGEST_REST_MS = 5 * 60_000;

/** The rest of a node that limits its requests, within bounds. Milliseconds. */
export const boundedRest = (ms: number = REST_MS): number =>
  Math.min(LONGEST_REST_MS, Math.max(SHORTEST_REST_MS, ms));

/** Reads `Retry-After`, in seconds or as a date (RFC 9110). @returns milliseconds; undefined where it tells nothing */
export function restMsOf(header: string | string[] | undefined, now: Date): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const until = Date.parse(text);
  return Number.isNaN(until) ? undefined : until - now.getTime();
}

/** Longest wait for a turn. A caller asks another node then. Milliseconds. */
const LONGEST_WAIT_MS = 2_000;

/**
 * Spreads calls, so that a node is not asked more often than it allows. A second's worth may go at once.
 * @param perSecond absent: no limit
 * @returns waits for the turn of some calls. @throws Limited the turn is too far off
 */
export function createShape(perSecond: number | undefined): (calls: number) => Promise<void> {
  if (perSecond === undefined) return () => Promise.resolve();
  const each = 1_000 / perSecond;
  /** When all calls so far have had their time. Milliseconds, monotonic. */
  let usedUntil = Number.NEGATIVE_INFINITY;
  return async (calls) => {
    const now = performance.now();
    const begin = Math.max(usedUntil, now - 1_000);
    const waitMs = begin + calls * each - now;
    // A single request may be longer than a second's worth. It goes when nothing else waits.
    if (waitMs > LONGEST_WAIT_MS && begin > now - 1_000) throw new Limited(begin - now);
    usedUntil = begin + calls * each;
    if (waitMs > 0) await sleep(waitMs);
  };
}
