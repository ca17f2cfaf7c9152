import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../../kernel/db/database';
import type { Commands } from '../../../kernel/outbox/commands';
import { createDueWatch } from './due-watch';
import {
  isIdle,
  type Job,
  type Lane,
  laneKey,
  nextJob,
  noteFailure,
  noteSuccess,
  openLane,
  wantOf,
} from './lane';
import type { Attempt, Poster } from './poster';
import { createRecorder } from './recorder';
import type { SigningSecrets } from './signing-secrets';
import { type ClaimedEvent, claimDue, endpointsWithDue, parkDue, type Want } from './store';

export interface DispatcherDeps {
  database: Database;
  commands: Commands;
  poster: Poster;
  secrets: SigningSecrets;
  log: Logger;
  now(): Date;
  /** From 0 to 1, for jitter. */
  random?(): number;
  /** How long a claim holds: longer than an attempt may take. Milliseconds. */
  leaseMs?: number;
  /** Events in this process's hands at once, however many wait. */
  maxClaimed?: number;
}

export interface Counts {
  delivered: number;
  failed: number;
}

/** A shard that this process delivers for. */
export interface TakenShard {
  /** Since it was taken. */
  counts(): Counts;
  /** Claims no more for it. What is under way goes on. */
  release(): void;
  /** Waits until everything under way for it is ended and recorded. */
  drained(): Promise<void>;
}

export interface Dispatcher {
  take(shard: number): TakenShard;
}

const LEASE_MS = 30_000;
const MAX_CLAIMED = 4_096;
const FORGET_LANE_MS = 60_000;
const DRAIN_LOOK_MS = 20;
const AWAY_MS = 250;

/**
 * The delivery engine of a process: one look for what is due, one loop that claims, one recorder, for all of its shards.
 * Each endpoint has a lane with connections of its own, so that none waits for another's; a claim asks for what each lane
 * can send now, so memory is bounded by the endpoints that answer, not by the events that wait.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { database, poster, secrets, log, leaseMs = LEASE_MS, maxClaimed = MAX_CLAIMED } = deps;
  const lanes = new Map<string, Lane>();
  /** How often each shard is taken: a new activity may begin before the old one has noticed its end. */
  const shards = new Map<number, number>();
  const counts = new Map<number, Counts>();
  let claiming = false;
  let again = false;

  const recorder = createRecorder({
    ...deps,
    random: deps.random ?? Math.random,
    onRecorded: () => claim(),
  });
  const watch = createDueWatch(look);

  async function look(): Promise<number> {
    try {
      const found = await endpointsWithDue(database, [...shards.keys()]);
      const orphans = found.filter(({ status }) => status === null || status === 'disabled');
      if (orphans.length > 0) await parkDue(database, orphans);
      const active = found.filter(({ status }) => status === 'active');
      for (const endpoint of active) laneOf(endpoint).more = true;
      forgetIdleLanes();
      claim();
      return active.length;
    } catch (error) {
      log.warn({ cause: (error as Error).message }, 'what is due could not be read');
      return 0;
    }
  }

  function laneOf(endpoint: ClaimedEvent | Parameters<typeof openLane>[0]): Lane {
    const key = laneKey(endpoint);
    const known = lanes.get(key);
    if (known) return known;
    const lane = openLane(endpoint, performance.now());
    lanes.set(key, lane);
    return lane;
  }

  function forgetIdleLanes(): void {
    const before = performance.now() - FORGET_LANE_MS;
    for (const [key, lane] of lanes) {
      if (lane.usedAt > before || !isIdle(lane)) continue;
      lanes.delete(key);
      poster.forget(key);
    }
  }

  /** What is in this process's hands: claimed, under way, or not recorded yet. */
  function claimed(): number {
    let sum = recorder.waiting();
    for (const lane of lanes.values()) sum += lane.queue.length + lane.underWay;
    return sum;
  }

  function claim(): void {
    again = true;
    if (!claiming) void claimLoop();
  }

  async function claimLoop(): Promise<void> {
    claiming = true;
    while (again) {
      again = false;
      const wants = wanted();
      if (wants.length === 0) continue;
      try {
        await claimOnce(wants);
      } catch (error) {
        log.warn({ cause: (error as Error).message }, 'due events could not be claimed');
        await sleep(AWAY_MS);
      }
    }
    claiming = false;
  }

  /** What the lanes can take, those first that were served longest ago, within what the process may hold. */
  function wanted(): Want[] {
    let free = maxClaimed - claimed();
    const wants: Want[] = [];
    for (const [key, lane] of [...lanes]) {
      const want = shards.has(lane.shard) ? wantOf(lane) : undefined;
      if (!want || free <= 0) continue;
      want.room = Math.min(want.room, free);
      free -= want.room;
      wants.push(want);
      lanes.delete(key);
      lanes.set(key, lane);
    }
    return wants;
  }

  async function claimOnce(wants: Want[]): Promise<void> {
    for (const want of wants) laneOf(want).more = false; // a look meanwhile may find more
    const events = await claimDue(database, wants, leaseMs);
    const claimedAt = performance.now();
    const taken = new Map<Lane, number>();
    for (const event of events) {
      const lane = laneOf(event);
      lane.queue.push({ ...event, claimedAt });
      taken.set(lane, (taken.get(lane) ?? 0) + 1);
    }
    for (const want of wants) {
      const lane = laneOf(want);
      if ((taken.get(lane) ?? 0) >= want.room) lane.more = true;
    }
    for (const lane of taken.keys()) pump(lane);
  }

  /** Begins what may be begun. */
  function pump(lane: Lane): void {
    const outdated: Job[] = [];
    const now = performance.now();
    for (;;) {
      const job = nextJob(lane, now, outdated);
      if (!job) break;
      lane.underWay += 1;
      lane.usedAt = now;
      void attempt(lane, job);
    }
    // Events that came while a failure was being recorded wait with the others.
    if (lane.held > 0 || !shards.has(lane.shard)) outdated.push(...lane.queue.splice(0));
    if (outdated.length > 0) recorder.released(outdated.map(({ number }) => number));
    if (wantOf(lane)) claim();
  }

  async function attempt(lane: Lane, job: Job): Promise<void> {
    let outcome: Attempt | undefined;
    try {
      const secret = await secrets.of(job.tenantId);
      outcome = await poster.post(laneKey(lane), { ...job, secret });
    } catch (error) {
      log.warn({ cause: (error as Error).message, tenantId: job.tenantId }, 'a webhook could not be signed');
    }
    lane.underWay -= 1;
    if (!outcome) recorder.released([job.number]);
    else if (outcome.ok) succeeded(lane, job);
    else failed(lane, job, outcome);
    pump(lane);
  }

  function succeeded(lane: Lane, job: Job): void {
    noteSuccess(lane, performance.now());
    countsOf(lane.shard).delivered += 1;
    recorder.delivered(job.number);
  }

  function failed(lane: Lane, job: Job, outcome: Attempt): void {
    lane.held += 1;
    countsOf(lane.shard).failed += 1;
    const unbegun = noteFailure(lane);
    if (unbegun.length > 0) recorder.released(unbegun.map(({ number }) => number));
    recorder.failed({ event: job, attempt: outcome }, () => {
      lane.held -= 1;
    });
  }

  function countsOf(shard: number): Counts {
    const known = counts.get(shard) ?? { delivered: 0, failed: 0 };
    counts.set(shard, known);
    return known;
  }

  function release(shard: number): void {
    const left = (shards.get(shard) ?? 1) - 1;
    if (left > 0) shards.set(shard, left);
    else shards.delete(shard);
    for (const lane of lanes.values()) if (lane.shard === shard) pump(lane);
    if (shards.size === 0) watch.stop();
  }

  const isBusy = (shard: number) =>
    recorder.waiting() > 0 || [...lanes.values()].some((lane) => lane.shard === shard && !isIdle(lane));

  return {
    take(shard) {
      const before = { ...countsOf(shard) };
      shards.set(shard, (shards.get(shard) ?? 0) + 1);
      watch.start();
      let taken = true;
      return {
        counts() {
          const { delivered, failed } = countsOf(shard);
          return { delivered: delivered - before.delivered, failed: failed - before.failed };
        },
        release() {
          if (taken) release(shard);
          taken = false;
        },
        async drained() {
          while (isBusy(shard)) await sleep(DRAIN_LOOK_MS);
        },
      };
    },
  };
}
