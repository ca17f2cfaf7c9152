import type { Registration } from '../../kernel/outbox/events';

/** An endpoint: a tenant registers one URL a type. */
export interface EndpointKey {
  tenantId: string;
  registration: Registration;
}

export type EndpointStatus = 'active' | 'failing' | 'disabled';
export type DeliveryStatus = 'recorded' | 'due' | 'delivered' | 'failed' | 'parked';

export interface Transition<Status, On> {
  from: readonly Status[];
  on: On;
  to: Status;
}

type EndpointEvent = 'set' | 'attempt_failed' | 'probe_succeeded' | 'nothing_waits' | 'gone';

/** The states of an endpoint. Deleting one ends it in any state. */
export const ENDPOINT_TRANSITIONS: readonly Transition<EndpointStatus, EndpointEvent>[] = [
  { from: ['active', 'failing', 'disabled'], on: 'set', to: 'active' },
  { from: ['active'], on: 'attempt_failed', to: 'failing' },
  { from: ['failing'], on: 'probe_succeeded', to: 'active' },
  { from: ['failing'], on: 'nothing_waits', to: 'active' },
  { from: ['active', 'failing'], on: 'gone', to: 'disabled' },
];

type DeliveryEvent = 'attempt_succeeded' | 'schedule_used_up' | 'endpoint_ended' | 'resent';

/**
 * The states of an event's delivery. An attempt that was under way when its endpoint was deleted may still succeed. What
 * was delivered is never sent again.
 */
export const DELIVERY_TRANSITIONS: readonly Transition<DeliveryStatus, DeliveryEvent>[] = [
  { from: ['due', 'parked', 'failed'], on: 'attempt_succeeded', to: 'delivered' },
  { from: ['due'], on: 'schedule_used_up', to: 'failed' },
  { from: ['due'], on: 'endpoint_ended', to: 'parked' },
  { from: ['recorded', 'failed', 'parked', 'due'], on: 'resent', to: 'due' },
];

export const endpointTransition = (on: EndpointEvent) => transitionOf(ENDPOINT_TRANSITIONS, on);
export const deliveryTransition = (on: DeliveryEvent) => transitionOf(DELIVERY_TRANSITIONS, on);

function transitionOf<Status, On>(table: readonly Transition<Status, On>[], on: On): Transition<Status, On> {
  const found = table.find((row) => row.on === on);
  if (!found) throw new Error(`no transition on ${String(on)}`);
  return found;
}

/** Seconds before each retry of a delivery (decisions part 4, Webhooks). After the last it is `failed`. */
export const RETRY_SECONDS = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200] as const;
/** The first attempt and its retries. */
export const MAX_ATTEMPTS = 1 + RETRY_SECONDS.length;
const LAST = RETRY_SECONDS.length - 1;

/** How far a wait is stretched or shortened at random, so that what failed together does not come back together. */
export const JITTER = 0.1;
/** A receiver's `Retry-After` is honoured up to a day. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * Where in the schedule an endpoint stands.
 * @param index of {@link RETRY_SECONDS}: kept when a delivery was given up, so that a dead endpoint is not hammered
 */
export interface NextProbe {
  index: number;
  waitMs: number;
}

/** The first probe of an endpoint that began to fail, by the attempts that the failed delivery has now had. */
export function firstProbe(attempts: number, jitter: number, retryAfterMs = 0): NextProbe {
  return probeAt(Math.min(LAST, Math.max(0, attempts - 1)), jitter, retryAfterMs);
}

/**
 * The probe after a failed one. While a delivery has attempts left the schedule goes on; when it is given up the next
 * delivery is tried soon, once – perhaps only the former was indigestible – and from then on at the last interval.
 * @param attempts that the probed delivery has now had
 */
export function probeAfter(index: number, attempts: number, jitter: number, retryAfterMs = 0): NextProbe {
  if (attempts < MAX_ATTEMPTS) return probeAt(Math.min(LAST, index + 1), jitter, retryAfterMs);
  return { index: LAST, waitMs: probeAt(0, jitter, retryAfterMs).waitMs };
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
