import type { EndpointKey } from '../record';
import type { ClaimedEvent, DueEndpoint, Want } from './store';

/** Concurrent attempts per endpoint (decisions part 4, Webhooks). */
export const UNDER_WAY = 8;
/** Largest number of events claimed ahead for a fast endpoint, so that it does not wait for claims. */
const MAX_AHEAD = 256;
/**
 * As many events are claimed ahead as the endpoint accepted within this time, by its last measurement. Milliseconds.
 */
const AHEAD_MS = 200;
const MEASURE_MS = 100;
/**
 * A claimed event that has waited this long is given back, because its URL and secret may be outdated. Milliseconds.
 */
const BEGIN_WITHIN_MS = 1_000;

/**
 * State of an endpoint in this process.
 *
 * | state     | when                                                     | attempts at once | claimed ahead           |
 * |-----------|----------------------------------------------------------|------------------|-------------------------|
 * | `probing` | at the start, and after a failure was recorded           | 1                | 0                       |
 * | `open`    | events are accepted; each success doubles the attempts   | 2 to 8           | for 200 ms, at most 256 |
 * | `held`    | failures are being recorded, which may mark the endpoint | no new ones      | 0                       |
 */
export type LaneState = Probing | Open | Held;

interface Probing {
  is: 'probing';
}

interface Open {
  is: 'open';
  atOnce: number;
  ahead: number;
  /** Deliveries since `measuredAt`, milliseconds of the process's monotonic clock: its throughput. */
  delivered: number;
  measuredAt: number;
}

interface Held {
  is: 'held';
  /** Failures that are not in the database yet. */
  unrecorded: number;
}

/** An attempt ended, or a failure has been recorded. */
export type LaneEvent = 'delivered' | 'failed' | 'failure_recorded';

type Transitions = {
  [Is in LaneState['is']]: {
    [On in LaneEvent]?: (state: Extract<LaneState, { is: Is }>, now: number) => LaneState;
  };
};

const PROBING: Probing = { is: 'probing' };

/** All transitions. An event that a state does not list changes nothing. */
const TRANSITIONS: Transitions = {
  probing: {
    delivered: (_, now) => ({ is: 'open', atOnce: 2, ahead: 0, delivered: 0, measuredAt: now }),
    failed: () => ({ is: 'held', unrecorded: 1 }),
  },
  open: {
    delivered: (open, now) => measured(open, now),
    failed: () => ({ is: 'held', unrecorded: 1 }),
  },
  held: {
    failed: ({ unrecorded }) => ({ is: 'held', unrecorded: unrecorded + 1 }),
    failure_recorded: ({ unrecorded }) =>
      unrecorded > 1 ? { is: 'held', unrecorded: unrecorded - 1 } : PROBING,
  },
};

/** @param now milliseconds of the process's monotonic clock, as everywhere here */
export function stateAfter(state: LaneState, on: LaneEvent, now: number): LaneState {
  const transition = TRANSITIONS[state.is][on] as ((from: LaneState, at: number) => LaneState) | undefined;
  return transition?.(state, now) ?? state;
}

function measured(open: Open, now: number): Open {
  const atOnce = Math.min(UNDER_WAY, open.atOnce * 2);
  const delivered = open.delivered + 1;
  const elapsed = now - open.measuredAt;
  if (elapsed < MEASURE_MS) return { ...open, atOnce, delivered };
  const ahead = Math.min(MAX_AHEAD, Math.floor((delivered / elapsed) * AHEAD_MS));
  return { is: 'open', atOnce, ahead, delivered: 0, measuredAt: now };
}

/** Limits of concurrent attempts and of events claimed ahead. A dead endpoint holds one event in memory. */
function limitsOf(state: LaneState): { atOnce: number; ahead: number } {
  if (state.is === 'open') return state;
  return { atOnce: state.is === 'probing' ? 1 : 0, ahead: 0 };
}

/** A claimed event with the time of its claim, and the number under which its shard was held then. */
export interface Job extends ClaimedEvent {
  claimedAt: number;
  fence: number;
}

/** The queue of one endpoint in this process. */
export interface Lane extends DueEndpoint {
  state: LaneState;
  /** Claimed events without an attempt. */
  queue: Job[];
  underWay: number;
  /** More events may be due: a poll found some, or the last claim was full. */
  mayHaveDue: boolean;
  /** The endpoint has failed lately. Successes are then recorded as well, because its health depends on both. */
  troubled: boolean;
  /** A claim was sent and nothing has failed since, so its result says whether the endpoint is troubled. */
  claimKnows: boolean;
  usedAt: number;
}

export const laneKey = ({ tenantId, registration }: EndpointKey) => `${tenantId} ${registration}`;

export function newLane({ shard, tenantId, registration }: DueEndpoint, now: number): Lane {
  const idle = { queue: [], underWay: 0, mayHaveDue: false, troubled: false, claimKnows: false };
  return { shard, tenantId, registration, state: PROBING, ...idle, usedAt: now };
}

/** A poll has found due events. */
export function dueFound(lane: Lane, now: number): void {
  lane.mayHaveDue = true;
  lane.usedAt = now;
}

/** Number of events to claim for a lane. Zero until half of its room is free, so that claims are few and large. */
export function roomOf(lane: Lane): number {
  if (!lane.mayHaveDue || lane.state.is === 'held') return 0;
  const { atOnce, ahead } = limitsOf(lane.state);
  const size = atOnce + ahead;
  const room = size - lane.queue.length - lane.underWay;
  return room >= Math.max(1, size / 2) ? room : 0;
}

/** A claim was sent for a lane. Only its result and later polls say whether more events are due. */
export function claimSent(lane: Lane, room: number): Want {
  lane.mayHaveDue = false;
  lane.claimKnows = true; // no claim is sent while failures are recorded
  const { shard, tenantId, registration } = lane;
  return { shard, tenantId, registration, room };
}

/** A claim for `room` events returned these. */
export function claimEnded(lane: Lane, jobs: Job[], room: number): void {
  lane.queue.push(...jobs);
  const troubled = jobs.some((job) => job.troubled);
  if (troubled) lane.troubled = true;
  else if (jobs.length > 0 && lane.claimKnows) lane.troubled = false;
  if (jobs.length >= room) lane.mayHaveDue = true;
}

/**
 * Takes events that may be sent now from the queue.
 * @returns also events to give back: all while failures are recorded, else those that waited too long
 */
export function takeJobs(lane: Lane, now: number): { begun: Job[]; givenBack: Job[] } {
  if (lane.state.is === 'held') return { begun: [], givenBack: lane.queue.splice(0) };
  const { atOnce } = limitsOf(lane.state);
  const begun: Job[] = [];
  const givenBack: Job[] = [];
  while (lane.underWay < atOnce) {
    const job = lane.queue.shift();
    if (!job) break;
    if (now - job.claimedAt >= BEGIN_WITHIN_MS) {
      givenBack.push(job);
      lane.mayHaveDue = true;
      continue;
    }
    begun.push(job);
    lane.underWay += 1;
    lane.usedAt = now;
  }
  return { begun, givenBack };
}

/** @param outcome `unsent`: the delivery could not be signed, which is no failure of the endpoint */
export function attemptEnded(lane: Lane, outcome: 'delivered' | 'failed' | 'unsent', now: number): void {
  lane.underWay -= 1;
  if (outcome === 'failed') {
    lane.troubled = true;
    lane.claimKnows = false;
  }
  if (outcome !== 'unsent') lane.state = stateAfter(lane.state, outcome, now);
}

/**
 * A failure of the lane was recorded or given up. Other due events follow, unless the endpoint counts as failing now.
 */
export function failureRecorded(lane: Lane, now: number): void {
  lane.state = stateAfter(lane.state, 'failure_recorded', now);
  lane.mayHaveDue = true;
}

/** Whether this process holds no event of the lane. */
export function isIdle(lane: Lane): boolean {
  return lane.queue.length === 0 && lane.underWay === 0 && lane.state.is !== 'held';
}
