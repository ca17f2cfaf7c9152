import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../../kernel/db/database';
import type { Commands } from '../../../kernel/outbox/commands';
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
import { type ClaimedEvent, claimDue, endpointsWithDue, type Want } from './store';

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
const DRAIN_POLL_MS = 20;
/** Between a claim that failed and the next one. */
const CLAIM_AGAIN_MS = 250;

/** What the parts of a process's delivery engine share. */
interface Engine extends DispatcherDeps {
  leaseMs: number;
  maxClaimed: number;
  shards: Shards;
  lanes: Lanes;
  /** Rounds of claiming. */
  claims: Rounds;
  /** Rounds of changing very many events, in portions. */
  moves: Rounds;
  recorder: Recorder;
}

/**
 * The delivery engine of a process, for all of its shards: one poll finds what is due, one claim at a time takes it, each
 * endpoint has a lane that begins its attempts, and one recorder writes their outcomes. A lane has connections of its own,
 * so that no endpoint waits for another's; a claim asks for what each lane can send now, so memory is bounded by the
 * endpoints that answer, not by the events that wait.
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
  const poll = createDuePoll(() => findDue(engine));
  return { take: (shard) => takeShard(engine, poll, shard) };
}

/** @returns how many active endpoints have due events */
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
    log.warn({ cause: (error as Error).message }, 'what is due could not be read');
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

/** Gives each lane what was claimed for it. */
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

/** Begins what may be begun, gives back what may not, and asks for more where there is room. */
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
    recorder.delivered(job, lane.troubled);
  } else {
    attemptEnded(lane, 'failed', now);
    shards.count(lane.shard, 'failed');
    recorder.failed({ event: job, attempt: outcome }, () => failureRecorded(lane, performance.now()));
  }
  advance(engine, lane);
}

/** @returns nothing when it could not be signed */
async function send({ secrets, poster, log }: Engine, lane: Lane, job: Job): Promise<Attempt | undefined> {
  try {
    const secret = await secrets.of(job.tenantId);
    return await poster.post(laneKey(lane), { ...job, secret });
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
