import type { ClaimedEvent, DueEndpoint, Want } from './store';

/** Deliveries under way per endpoint (decisions part 4, Webhooks). */
export const UNDER_WAY = 8;
/** An endpoint that answers quickly has up to this many more claimed ahead, so that it need not wait for a claim. */
const MAX_AHEAD = 256;
/** What is claimed ahead is what the endpoint took within this time, as it was last measured. Milliseconds. */
const AHEAD_MS = 200;
const MEASURE_MS = 100;
/** A claimed event that was not begun by then is given back: its URL and secret may be outdated. Milliseconds. */
const BEGIN_WITHIN_MS = 1_000;

export interface Job extends ClaimedEvent {
  claimedAt: number;
}

/** One endpoint in this process. What it may hold is bounded: a dead one holds one event, a slow one eight. */
export interface Lane extends DueEndpoint {
  queue: Job[];
  underWay: number;
  /** How many may be under way: one until it has answered, then up to eight. */
  limit: number;
  /** How many may be claimed beyond that. */
  ahead: number;
  /** More may be due than was claimed. */
  more: boolean;
  /** Failures that are not recorded yet: nothing is sent until they are. */
  held: number;
  /** Since `measuredAt`. */
  done: number;
  measuredAt: number;
  usedAt: number;
}

export const laneKey = (endpoint: { tenantId: string; registration: string }) =>
  `${endpoint.tenantId} ${endpoint.registration}`;

export function openLane({ shard, tenantId, registration }: DueEndpoint, now: number): Lane {
  return {
    shard,
    tenantId,
    registration,
    queue: [],
    underWay: 0,
    limit: 1,
    ahead: 0,
    more: false,
    held: 0,
    done: 0,
    measuredAt: now,
    usedAt: now,
  };
}

/** What a lane could take now: nothing until half of its room is free, so that claims are few and large. */
export function wantOf(lane: Lane): Want | undefined {
  if (!lane.more || lane.held > 0) return undefined;
  const size = lane.limit + lane.ahead;
  const room = size - lane.queue.length - lane.underWay;
  if (room < Math.max(1, size / 2)) return undefined;
  const { shard, tenantId, registration } = lane;
  return { shard, tenantId, registration, room };
}

/** The next event to send; those that have waited too long are moved to `outdated`. */
export function nextJob(lane: Lane, now: number, outdated: Job[]): Job | undefined {
  if (lane.held > 0 || lane.underWay >= lane.limit) return undefined;
  for (;;) {
    const job = lane.queue.shift();
    if (!job || now - job.claimedAt < BEGIN_WITHIN_MS) return job;
    outdated.push(job);
    lane.more = true;
  }
}

export function noteSuccess(lane: Lane, now: number): void {
  lane.limit = Math.min(UNDER_WAY, lane.limit * 2);
  lane.done += 1;
  const elapsed = now - lane.measuredAt;
  if (elapsed < MEASURE_MS) return;
  lane.ahead = Math.min(MAX_AHEAD, Math.floor((lane.done / elapsed) * AHEAD_MS));
  lane.done = 0;
  lane.measuredAt = now;
}

/** Starts from nothing again. @returns what it had claimed and not begun */
export function noteFailure(lane: Lane): Job[] {
  lane.limit = 1;
  lane.ahead = 0;
  lane.more = false;
  return lane.queue.splice(0);
}

export function isIdle(lane: Lane): boolean {
  return lane.queue.length === 0 && lane.underWay === 0 && lane.held === 0;
}
