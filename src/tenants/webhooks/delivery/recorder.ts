import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../../kernel/db/database';
import { isAway } from '../../../kernel/db/faults';
import type { Commands } from '../../../kernel/outbox/commands';
import { type FailedEndpoint, markFailing, noteOutcomes, type Outcome, seriesOf } from '../outcomes';
import type { EndpointKey } from '../record';
import { recoveryCommand } from '../recovery-command';
import { markDisabled } from '../store';
import { attemptMade } from './attempts';
import type { Job } from './lane';
import { type FencedShard, heldShards } from './leases-store';
import { parkDue } from './moves';
import type { Attempt } from './poster';
import { createRounds } from './rounds';
import { firstProbe, jitterOf, retryIn } from './schedule';
import { type FailedAttempt, recordDispatched, recordFailures, releaseClaims } from './store';

/** An attempt that was made. */
interface Made {
  event: Job;
  attempt: Attempt;
}

/** Outcomes of claimed events, gathered for one transaction. */
interface Batch {
  delivered: Made[];
  released: Job[];
  failures: Made[];
  /** Attempts that count, of endpoints that have failed lately, in order of arrival. */
  outcomes: Made[];
  /** Called when the failures were recorded or given up. */
  recorded: (() => void)[];
}

export interface Recorder {
  /** @param note whether the endpoint's health is updated as well, because it has failed lately */
  delivered(event: Job, attempt: Attempt, note: boolean): void;
  released(events: Job[]): void;
  failed(failure: Made, recorded: () => void): void;
  /** Outcomes that are not in the database yet. */
  waiting(): number;
  /** Whether outcomes of the shard are not in the database yet. */
  isWaiting(shard: number): boolean;
}

export interface RecorderDeps {
  database: Database;
  commands: Commands;
  log: Logger;
  now(): Date;
  random(): number;
  /** Called after each batch with the number of recorded outcomes. */
  onRecorded(): void;
}

/** Time for which outcomes are gathered. Milliseconds. */
const GATHER_MS = 8;
const BATCH = 1_000;
const TRIES = 5;

const emptyBatch = (): Batch => ({
  delivered: [],
  released: [],
  failures: [],
  outcomes: [],
  recorded: [],
});

/**
 * Writes outcomes to the database, one batch at a time. While the database is away they are kept, so that delivered
 * events are not sent again. An outcome that cannot be recorded for another reason is dropped: its lease ends and the
 * event is sent again. An outcome of a shard that another process has taken since is dropped in the same way.
 */
export function createRecorder(deps: RecorderDeps): Recorder {
  let batch = emptyBatch();
  let recording = emptyBatch();

  const size = (of: Batch) => of.delivered.length + of.released.length + of.failures.length;

  const rounds = createRounds(async () => {
    if (size(batch) === 0) return; // the previous round has recorded everything
    if (size(batch) < BATCH) await sleep(GATHER_MS);
    const full = batch;
    batch = emptyBatch();
    recording = full;
    await record(full, deps);
    recording = emptyBatch();
    for (const recorded of full.recorded) recorded();
    deps.onRecorded();
  });

  return {
    delivered(event, attempt, note) {
      batch.delivered.push({ event, attempt });
      if (note) batch.outcomes.push({ event, attempt });
      rounds.ask();
    },
    released(events) {
      batch.released.push(...events);
      rounds.ask();
    },
    failed(failure, recorded) {
      batch.failures.push(failure);
      if (counts(failure)) batch.outcomes.push(failure);
      batch.recorded.push(recorded);
      rounds.ask();
    },
    waiting: () => size(batch) + size(recording),
    isWaiting: (shard) =>
      [batch, recording].some(
        ({ delivered, released, failures }) =>
          released.some((event) => event.shard === shard) ||
          [...delivered, ...failures].some(({ event }) => event.shard === shard),
      ),
  };
}

async function record(batch: Batch, deps: RecorderDeps): Promise<void> {
  const { released, outcomes, failures } = batch;
  await Promise.all([
    batch.delivered.length > 0 && persist(deps, () => writeDelivered(deps, batch.delivered)),
    released.length > 0 && persist(deps, () => writeReleased(deps, released)),
    outcomes.length + failures.length > 0 && persist(deps, () => writeOutcomes(deps, batch)),
  ]);
}

/** The newest number of each shard, under which outcomes are recorded. */
function leasesOf(events: readonly Job[]): FencedShard[] {
  const newest = new Map<number, number>();
  for (const { shard, fence } of events) newest.set(shard, Math.max(fence, newest.get(shard) ?? fence));
  return [...newest].map(([shard, fence]) => ({ shard, fence }));
}

/** Whether an event was claimed under one of these numbers. */
const isUnder = (leases: readonly FencedShard[]) => {
  const numbers = new Map(leases.map(({ shard, fence }) => [shard, fence]));
  return ({ shard, fence }: Job) => numbers.get(shard) === fence;
};

async function writeDelivered({ database }: RecorderDeps, delivered: readonly Made[]): Promise<void> {
  const leases = leasesOf(delivered.map(({ event }) => event));
  const isPresent = isUnder(leases);
  const attempts = delivered.flatMap(({ event, attempt }) =>
    isPresent(event) ? [{ number: event.number, made: attemptMade(event.urlId, attempt) }] : [],
  );
  await recordDispatched(database, attempts, leases);
}

async function writeReleased({ database }: RecorderDeps, released: readonly Job[]): Promise<void> {
  const leases = leasesOf(released);
  const present = released.filter(isUnder(leases));
  await releaseClaims(
    database,
    present.map(({ number }) => number),
    leases,
  );
}

async function persist({ log }: RecorderDeps, write: () => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isAway(error) && tried >= TRIES) {
        log.error({ err: error }, 'outcomes of webhook deliveries could not be recorded');
        return;
      }
      log.warn({ cause: (error as Error).message }, 'outcomes of webhook deliveries wait to be recorded');
      await sleep(Math.min(5_000, 100 * 2 ** tried));
    }
  }
}

/** Whether a failure counts against the endpoint: the first failure of an event, and a 410. */
const counts = ({ event, attempt }: Made) => event.attempts === 0 || attempt.gone;

const outcomeOf = ({ event: { tenantId, registration, url }, attempt: { ok } }: Made): Outcome => ({
  tenantId,
  registration,
  url,
  ok,
});

/**
 * Writes outcomes, used-up attempts, newly failing endpoints and the start of their recoveries in one transaction.
 * Leases are locked before endpoints, and endpoints before events, as everywhere.
 */
async function writeOutcomes(deps: RecorderDeps, batch: Batch): Promise<void> {
  const { database, commands, now, random } = deps;
  const at = now();
  const leases = leasesOf([...batch.outcomes, ...batch.failures].map(({ event }) => event));
  await database.transaction(async (tx) => {
    const held = await heldShards(tx, leases);
    const isHeld = isUnder(leases.filter(({ shard }) => held.has(shard)));
    const outcomes = batch.outcomes.filter(({ event }) => isHeld(event));
    const failures = batch.failures.filter(({ event }) => isHeld(event));
    const gone = failures.filter(({ attempt }) => attempt.gone).map(({ event }) => event);
    const attempts = failures.map((failure) => failedAttempt(failure, jitterOf(random())));
    const failed = outcomes.length > 0 ? await noteOutcomes(tx, seriesOf(outcomes.map(outcomeOf))) : [];
    const disabled = gone.length > 0 ? await markDisabled(tx, gone, at) : [];
    if (attempts.length > 0) await recordFailures(tx, attempts);
    const worse = failedEndpoints(failed, failures, jitterOf(random()));
    const failing = worse.length > 0 ? await markFailing(tx, worse, at) : [];
    if (disabled.length > 0) await parkDue(tx, disabled);
    commands.append(
      tx,
      [...failing, ...disabled].map((endpoint) => recoveryCommand(endpoint)),
    );
  });
}

const failedAttempt = ({ event, attempt }: Made, jitter: number): FailedAttempt => ({
  number: event.number,
  made: attemptMade(event.urlId, attempt),
  code: attempt.code,
  retryMs: retryIn(event.attempts + 1, jitter, attempt.retryAfterMs),
});

/** Failing endpoints of which an attempt has failed now. Successes never make an endpoint fail. */
function failedEndpoints(
  failed: (EndpointKey & { url: string })[],
  failures: Made[],
  jitter: number,
): FailedEndpoint[] {
  const codes = new Map(failures.map(({ event, attempt }) => [endpointOf(event), attempt.code]));
  return failed.flatMap((endpoint) => {
    const code = codes.get(endpointOf(endpoint));
    return code === undefined ? [] : [{ ...endpoint, code, first: firstProbe(jitter) }];
  });
}

const endpointOf = ({ tenantId, registration, url }: EndpointKey & { url: string }) =>
  `${tenantId} ${registration} ${url}`;
