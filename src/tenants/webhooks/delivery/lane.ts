import type { EndpointKey } from '../record';
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

/**
 * How an endpoint is served by this process.
 *
 * | state     | why                                                         | under way | claimed ahead                  |
 * |-----------|-------------------------------------------------------------|-----------|--------------------------------|
 * | `probing` | nothing was delivered yet, or what failed has been recorded | 1         | 0                              |
 * | `open`    | it accepts events: each one doubles what is under way       | 2 to 8    | what it took in 200 ms, to 256 |
 * | `held`    | failures are being recorded, which may mark it as failing   | no more   | 0                              |
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

/** What happens to a lane: an attempt ends, or the failure of one has been recorded. */
export type LaneEvent = 'delivered' | 'failed' | 'failure_recorded';

type Transitions = {
  [Is in LaneState['is']]: {
    [On in LaneEvent]?: (state: Extract<LaneState, { is: Is }>, now: number) => LaneState;
  };
};

const PROBING: Probing = { is: 'probing' };

/** Every transition of a lane. An event that a state does not list leaves it as it is. */
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

/** How many may be under way, and claimed beyond that: what is in memory for a dead endpoint is one event. */
function limitsOf(state: LaneState): { atOnce: number; ahead: number } {
  if (state.is === 'open') return state;
  return { atOnce: state.is === 'probing' ? 1 : 0, ahead: 0 };
}

/** An event in this process's hands, and when it was claimed. */
export interface Job extends ClaimedEvent {
  claimedAt: number;
}

/** One endpoint in this process. */
export interface Lane extends DueEndpoint {
  state: LaneState;
  /** Claimed, and not begun. */
  queue: Job[];
  underWay: number;
  /** A poll has found due events, or a claim has taken as many as it might: there may be more. */
  mayHaveDue: boolean;
  /** It has failed lately, so what it takes is noted too: whether it counts as failing goes by both. */
  troubled: boolean;
  /** A claim was sent, and nothing has failed since: what it says of the endpoint is all that is known. */
  claimKnows: boolean;
  usedAt: number;
}

export const laneKey = ({ tenantId, registration }: EndpointKey) => `${tenantId} ${registration}`;

export function newLane({ shard, tenantId, registration }: DueEndpoint, now: number): Lane {
  const idle = { queue: [], underWay: 0, mayHaveDue: false, troubled: false, claimKnows: false };
  return { shard, tenantId, registration, state: PROBING, ...idle, usedAt: now };
}

/** A poll has found events that are due. */
export function dueFound(lane: Lane, now: number): void {
  lane.mayHaveDue = true;
  lane.usedAt = now;
}

/** How many events to claim for a lane: none until half of what it may hold is free, so that claims are few and large. */
export function roomOf(lane: Lane): number {
  if (!lane.mayHaveDue || lane.state.is === 'held') return 0;
  const { atOnce, ahead } = limitsOf(lane.state);
  const size = atOnce + ahead;
  const room = size - lane.queue.length - lane.underWay;
  return room >= Math.max(1, size / 2) ? room : 0;
}

/** A claim is sent for a lane. What it finds is all that is known to be due, unless a poll finds more meanwhile. */
export function claimSent(lane: Lane, room: number): Want {
  lane.mayHaveDue = false;
  lane.claimKnows = true; // while failures are recorded none is sent
  const { shard, tenantId, registration } = lane;
  return { shard, tenantId, registration, room };
}

/** A claim for `room` events has taken these. */
export function claimEnded(lane: Lane, jobs: Job[], room: number): void {
  lane.queue.push(...jobs);
  const troubled = jobs.some((job) => job.troubled);
  if (troubled) lane.troubled = true;
  else if (jobs.length > 0 && lane.claimKnows) lane.troubled = false;
  if (jobs.length >= room) lane.mayHaveDue = true;
}

/**
 * Takes what may be begun now out of the queue.
 * @returns also what is not to be sent and is given back: all of it while failures are recorded, else what waited too long
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

/** @param outcome `unsent`: it could not be signed, which says nothing of the endpoint */
export function attemptEnded(lane: Lane, outcome: 'delivered' | 'failed' | 'unsent', now: number): void {
  lane.underWay -= 1;
  if (outcome === 'failed') {
    lane.troubled = true;
    lane.claimKnows = false;
  }
  if (outcome !== 'unsent') lane.state = stateAfter(lane.state, outcome, now);
}

/** A failure of the lane has been recorded, or given up. What else is due is gone on with, unless the endpoint is failing now. */
export function failureRecorded(lane: Lane, now: number): void {
  lane.state = stateAfter(lane.state, 'failure_recorded', now);
  lane.mayHaveDue = true;
}

/** Whether nothing of the lane is in this process's hands. */
export function isIdle(lane: Lane): boolean {
  return lane.queue.length === 0 && lane.underWay === 0 && lane.state.is !== 'held';
}
