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
import { moveSome, parkDue } from './moves';
import type { Attempt, Poster } from './poster';
import { createRecorder, type Recorder } from './recorder';
import { createRounds, type Rounds } from './rounds';
import { type Counts, createShards, type Shards } from './shards';
import type { SigningSecrets } from './signing-secrets';
import { type ClaimedEvent, claimDue, endpointsWithDue, WAITING_EVENTS, type Want } from './store';

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
}

/** A shard that this process delivers. */
export interface TakenShard {
  /** Since the shard was taken. */
  counts(): Counts;
  /** Stops claiming events of the shard. Attempts under way go on. */
  release(): void;
  /** Resolves when all attempts of the shard have ended and are recorded. */
  drained(): Promise<void>;
}

export interface Dispatcher {
  take(shard: number): TakenShard;
}

const LEASE_MS = 30_000;
const MAX_CLAIMED = 4_096;
const DRAIN_POLL_MS = 20;
/** Pause after a failed claim. */
const CLAIM_AGAIN_MS = 250;

/** Shared state of the delivery engine of a process. */
interface Engine extends DispatcherDeps {
  leaseMs: number;
  maxClaimed: number;
  shards: Shards;
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
 * endpoints that answer and not by the backlog.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { leaseMs = LEASE_MS, maxClaimed = MAX_CLAIMED, random = Math.random } = deps;
  const claims = createRounds(() => claim(engine));
  const moves = createRounds(() => move(engine));
  const recorder = createRecorder({ ...deps, random, onRecorded: () => claims.ask() });
  const shards = createShards();
  const engine: Engine = {
    ...deps,
    leaseMs,
    maxClaimed,
    shards,
    lanes: createLanes(),
    claims,
    moves,
    recorder,
  };
  const poll = createDuePoll(
    () => findDue(engine),
    (signal) => lookoutOf(deps.database).until(WAITING_EVENTS, NONE, { signal }),
  );
  return { take: (shard) => takeShard(engine, poll, shard) };
}

/** @returns number of active endpoints with due events */
async function findDue({ database, shards, lanes, poster, claims, moves, log }: Engine): Promise<number> {
  try {
    const found = await endpointsWithDue(database, shards.taken());
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
  const { database, lanes, recorder, shards, leaseMs, maxClaimed, log } = engine;
  const wants = lanes.wants(maxClaimed - lanes.held() - recorder.waiting(), shards.isTaken);
  if (wants.length === 0) return;
  try {
    handOut(engine, wants, await claimDue(database, wants, leaseMs));
  } catch (error) {
    log.warn({ cause: (error as Error).message }, 'due events could not be claimed');
    await sleep(CLAIM_AGAIN_MS);
  }
}

async function move({ database, shards, log }: Engine): Promise<void> {
  try {
    while (shards.taken().length > 0 && (await moveSome(database, shards.taken())));
  } catch (error) {
    log.warn({ cause: (error as Error).message }, 'waiting events could not be moved');
  }
}

/** Hands claimed events to their lanes. */
function handOut(engine: Engine, wants: Want[], events: ClaimedEvent[]): void {
  const claimedAt = performance.now();
  const jobs = new Map(wants.map((want) => [laneKey(want), [] as Job[]]));
  for (const event of events) jobs.get(laneKey(event))?.push({ ...event, claimedAt });
  for (const want of wants) {
    const lane = engine.lanes.of(want);
    claimEnded(lane, jobs.get(laneKey(want)) ?? [], want.room);
    advance(engine, lane);
  }
}

/** Starts attempts, gives back events that must not be sent, and requests more events for free room. */
function advance(engine: Engine, lane: Lane): void {
  const { shards, recorder, claims } = engine;
  const { begun, givenBack } = takeJobs(lane, performance.now());
  for (const job of begun) void attempt(engine, lane, job);
  if (!shards.isTaken(lane.shard)) givenBack.push(...lane.queue.splice(0));
  if (givenBack.length > 0) recorder.released(givenBack.map(({ number }) => number));
  if (roomOf(lane) > 0) claims.ask();
}

async function attempt(engine: Engine, lane: Lane, job: Job): Promise<void> {
  const { shards, recorder } = engine;
  const outcome = await send(engine, lane, job);
  const now = performance.now();
  if (!outcome) {
    attemptEnded(lane, 'unsent', now);
    recorder.released([job.number]);
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

/** @returns undefined when the delivery could not be signed */
async function send(
  { secrets, ids, poster, log }: Engine,
  lane: Lane,
  job: Job,
): Promise<Attempt | undefined> {
  try {
    const keys = await secrets.of(job.tenantId);
    return await poster.post(laneKey(lane), { ...job, id: ids.of(job), keys });
  } catch (error) {
    log.warn({ cause: (error as Error).message, tenantId: job.tenantId }, 'a webhook could not be signed');
    return undefined;
  }
}

function takeShard(engine: Engine, poll: DuePoll, shard: number): TakenShard {
  const { shards, lanes, moves, recorder } = engine;
  const before = shards.counts(shard);
  let taken = true;
  shards.take(shard);
  poll.start();
  const isBusy = () =>
    moves.busy() || recorder.waiting() > 0 || lanes.ofShard(shard).some((lane) => !isIdle(lane));
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
      if (shards.taken().length === 0) poll.stop();
    },
    async drained() {
      while (isBusy()) await sleep(DRAIN_POLL_MS);
    },
  };
}
