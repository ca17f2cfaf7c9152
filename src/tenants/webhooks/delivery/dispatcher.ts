import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../../kernel/db/database';
import { lookoutOf, NONE } from '../../../kernel/db/lookout';
import type { Commands } from '../../../kernel/outbox/commands';
import type { EventIds } from '../../../kernel/outbox/event-id';
import { createDuePoll, type DuePoll } from './due-poll';
import {
  attemptEnded,
  claimEnded,
  dueFound,
  failureRecorded,
  isIdle,
  type Job,
  type Lane,
  laneKey,
  roomOf,
  takeJobs,
} from './lane';
import { createLanes, type Lanes } from './lanes';
import { createLeases, type Leases } from './leases';
import { moveSome, parkDue } from './moves';
import type { Attempt, Poster } from './poster';
import { createRecorder, type Recorder } from './recorder';
import { createRounds, type Rounds } from './rounds';
import { type Counts, createShards, type Shards } from './shards';
import type { SigningSecrets } from './signing-secrets';
import { claimDue, endpointsWithDue, WAITING_EVENTS, type Want } from './store';

export interface DispatcherDeps {
  database: Database;
  commands: Commands;
  poster: Poster;
  secrets: SigningSecrets;
  ids: EventIds;
  log: Logger;
  now(): Date;
  /** From 0 to 1, for jitter. */
  random?(): number;
  /** Duration of a claim, longer than an attempt may take. Milliseconds. */
  leaseMs?: number;
  /** Claimed events of this process at once. */
  maxClaimed?: number;
  /** How long a process that stands in waits for workflows at its start. Milliseconds. Default: the shards' lease. */
  standInAfterMs?: number;
}

/** A shard that this process delivers as long as it has the shard's lease. */
export interface TakenShard {
  /** Since the shard was taken. */
  counts(): Counts;
  /** Stops claiming events of the shard. Attempts under way go on, and the lease is given back after them. */
  release(): void;
  /** Resolves when all attempts of the shard have ended and are recorded, and the lease is given back. */
  drained(): Promise<void>;
}

export interface Dispatcher {
  /** Delivers a shard for a workflow. Waits for the lease while another process has it. */
  take(shard: number): TakenShard;
  /**
   * Delivers the shards whose lease nobody renews, because Temporal is away, each until a workflow wants it.
   * @returns ends it; resolves when the attempts under way have ended
   */
  standIn(): { stop(): Promise<void> };
}

const LEASE_MS = 30_000;
const MAX_CLAIMED = 4_096;
const DRAIN_POLL_MS = 20;
/** No shard has this number. */
const NO_FENCE = -1;
/** Pause after a failed claim. */
const CLAIM_AGAIN_MS = 250;

/** Shared state of the delivery engine of a process. */
interface Engine extends DispatcherDeps {
  leaseMs: number;
  maxClaimed: number;
  shards: Shards;
  leases: Leases;
  /** Whether this process may claim events of the shard now. */
  mayClaim(shard: number): boolean;
  /** The shards of {@link Engine.mayClaim}. */
  claimable(): number[];
  /** Shards whose lease is given back when their attempts have ended. */
  giving: Map<number, Promise<void>>;
  lanes: Lanes;
  /** Rounds of claiming. */
  claims: Rounds;
  /** Rounds of bulk changes of events, in portions. */
  moves: Rounds;
  recorder: Recorder;
}

/**
 * Creates the delivery engine of a process. One poll finds due events, one claim at a time takes them, a lane per
 * endpoint starts the attempts, and one recorder writes the outcomes. Each lane has its own connections, so that
 * endpoints do not wait for each other. A claim asks for what each lane can send now, so memory is bounded by the
 * endpoints that answer and not by the backlog. Claims and outcomes carry the number of their shard's lease.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { leaseMs = LEASE_MS, maxClaimed = MAX_CLAIMED, random = Math.random } = deps;
  const claims = createRounds(() => claim(engine));
  const moves = createRounds(() => move(engine));
  const recorder = createRecorder({ ...deps, random, onRecorded: () => claims.ask() });
  const shards = createShards();
  const leases = createLeases({
    ...deps,
    wanted: shards.taken,
    onLook: (taken) => afterLook(engine, poll, taken),
  });
  const mayClaim = (shard: number) =>
    (shards.isTaken(shard) || leases.standsIn(shard)) && leases.fence(shard) !== undefined;
  const engine: Engine = {
    ...deps,
    leaseMs,
    maxClaimed,
    shards,
    leases,
    mayClaim,
    claimable: () => leases.held().filter(mayClaim),
    giving: new Map(),
    lanes: createLanes(),
    claims,
    moves,
    recorder,
  };
  const poll = createDuePoll(
    () => findDue(engine),
    (signal) => lookoutOf(deps.database).until(WAITING_EVENTS, NONE, { signal }),
  );
  return {
    take: (shard) => takeShard(engine, shard),
    standIn() {
      leases.standIn();
      return {
        async stop() {
          leases.endStandIn();
          afterLook(engine, poll, []);
          await Promise.all(leases.held().map((shard) => giveWhenIdle(engine, shard)));
        },
      };
    },
  };
}

/** Begins to deliver the shards that were taken now, and ends with those that this process may not claim any more. */
function afterLook(engine: Engine, poll: DuePoll, taken: number[]): void {
  const { lanes, leases, mayClaim, claimable } = engine;
  if (claimable().length === 0 || taken.length > 0) poll.stop();
  if (claimable().length > 0) poll.start(); // after a stop it looks at once
  for (const lane of lanes.all()) if (!mayClaim(lane.shard)) advance(engine, lane);
  for (const shard of leases.held()) if (!mayClaim(shard)) void giveWhenIdle(engine, shard);
}

/** Gives the lease of a shard back when its attempts have ended, unless a workflow wants it again. */
function giveWhenIdle(engine: Engine, shard: number): Promise<void> {
  const { giving } = engine;
  const known = giving.get(shard);
  if (known) return known;
  const given = waitAndGive(engine, shard).finally(() => giving.delete(shard));
  giving.set(shard, given);
  return given;
}

async function waitAndGive(engine: Engine, shard: number): Promise<void> {
  const { shards, lanes, moves, recorder, leases } = engine;
  const isBusy = () =>
    moves.busy() || recorder.isWaiting(shard) || lanes.ofShard(shard).some((lane) => !isIdle(lane));
  while (isBusy() && !shards.isTaken(shard)) await sleep(DRAIN_POLL_MS);
  if (shards.isTaken(shard)) return;
  await leases.give([shard]);
}

/** @returns number of active endpoints with due events */
async function findDue({ database, claimable, lanes, poster, claims, moves, log }: Engine): Promise<number> {
  try {
    const found = await endpointsWithDue(database, claimable());
    const orphans = found.filter(({ status }) => status === null || status === 'disabled');
    if (orphans.length > 0) await parkDue(database, orphans);
    const active = found.filter(({ status }) => status === 'active');
    const now = performance.now();
    for (const endpoint of active) dueFound(lanes.of(endpoint), now);
    for (const key of lanes.forgetIdle()) poster.forget(key);
    claims.ask();
    moves.ask();
    return active.length;
  } catch (error) {
    log.warn({ cause: (error as Error).message }, 'due events could not be read');
    return 0;
  }
}

async function claim(engine: Engine): Promise<void> {
  const { database, lanes, recorder, leases, mayClaim, leaseMs, maxClaimed, log } = engine;
  const wants = lanes.wants(maxClaimed - lanes.held() - recorder.waiting(), mayClaim);
  if (wants.length === 0) return;
  const fences = new Map(wants.map(({ shard }) => [shard, leases.fence(shard) ?? NO_FENCE]));
  const held = [...fences].map(([shard, fence]) => ({ shard, fence }));
  const claimedAt = performance.now();
  try {
    const events = await claimDue(database, wants, { leases: held, leaseMs });
    const jobs = events.map((event) => ({
      ...event,
      claimedAt,
      fence: fences.get(event.shard) ?? NO_FENCE,
    }));
    handOut(engine, wants, jobs);
  } catch (error) {
    log.warn({ cause: (error as Error).message }, 'due events could not be claimed');
    await sleep(CLAIM_AGAIN_MS);
  }
}

async function move({ database, claimable, log }: Engine): Promise<void> {
  try {
    while (claimable().length > 0 && (await moveSome(database, claimable())));
  } catch (error) {
    log.warn({ cause: (error as Error).message }, 'waiting events could not be moved');
  }
}

/** Hands claimed events to their lanes. */
function handOut(engine: Engine, wants: Want[], claimed: Job[]): void {
  const jobs = new Map(wants.map((want) => [laneKey(want), [] as Job[]]));
  for (const job of claimed) jobs.get(laneKey(job))?.push(job);
  for (const want of wants) {
    const lane = engine.lanes.of(want);
    claimEnded(lane, jobs.get(laneKey(want)) ?? [], want.room);
    advance(engine, lane);
  }
}

/** Starts attempts, gives back events that must not be sent, and requests more events for free room. */
function advance(engine: Engine, lane: Lane): void {
  const { mayClaim, recorder, claims } = engine;
  const { begun, givenBack } = takeJobs(lane, performance.now());
  for (const job of begun) void attempt(engine, lane, job);
  if (!mayClaim(lane.shard)) givenBack.push(...lane.queue.splice(0));
  if (givenBack.length > 0) recorder.released(givenBack);
  if (roomOf(lane) > 0) claims.ask();
}

async function attempt(engine: Engine, lane: Lane, job: Job): Promise<void> {
  const { shards, recorder } = engine;
  const outcome = await send(engine, lane, job);
  const now = performance.now();
  if (!outcome) {
    attemptEnded(lane, 'unsent', now);
    recorder.released([job]);
  } else if (outcome.ok) {
    attemptEnded(lane, 'delivered', now);
    shards.count(lane.shard, 'delivered');
    recorder.delivered(job, outcome, lane.troubled);
  } else {
    attemptEnded(lane, 'failed', now);
    shards.count(lane.shard, 'failed');
    recorder.failed({ event: job, attempt: outcome }, () => failureRecorded(lane, performance.now()));
  }
  advance(engine, lane);
}

/** @returns undefined when the delivery could not be signed, or its claim is no longer good */
async function send(
  { secrets, ids, poster, leases, leaseMs, log }: Engine,
  lane: Lane,
  job: Job,
): Promise<Attempt | undefined> {
  // An attempt that begins within half of the claim ends before another process may claim the event.
  const mayBegin = () =>
    leases.fence(job.shard) === job.fence && performance.now() - job.claimedAt < leaseMs / 2;
  try {
    const keys = await secrets.of(job.tenantId);
    return await poster.post(laneKey(lane), { ...job, id: ids.of(job), keys, mayBegin });
  } catch (error) {
    log.warn({ cause: (error as Error).message, tenantId: job.tenantId }, 'a webhook could not be signed');
    return undefined;
  }
}

function takeShard(engine: Engine, shard: number): TakenShard {
  const { shards, lanes, leases } = engine;
  const before = shards.counts(shard);
  let taken = true;
  let given: Promise<void> = Promise.resolve();
  shards.take(shard);
  leases.ask();
  return {
    counts() {
      const { delivered, failed } = shards.counts(shard);
      return { delivered: delivered - before.delivered, failed: failed - before.failed };
    },
    release() {
      if (!taken) return;
      taken = false;
      shards.release(shard);
      for (const lane of lanes.ofShard(shard)) advance(engine, lane);
      given = giveWhenIdle(engine, shard);
    },
    drained: () => given,
  };
}
