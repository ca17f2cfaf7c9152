import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../../kernel/db/database';
import { isAway } from '../../../kernel/db/faults';
import type { Commands } from '../../../kernel/outbox/commands';
import { recoveryCommand } from '../recovery-command';
import { type FailedEndpoint, markDisabled, markFailing } from '../store';
import type { Attempt } from './poster';
import { createRounds } from './rounds';
import { firstProbe, jitterOf } from './schedule';
import type { ClaimedEvent } from './store';
import { parkDue, recordDelivered, recordFailures, releaseClaims } from './store';

export interface Failure {
  event: ClaimedEvent;
  attempt: Attempt;
}

/** What became of claimed events, gathered so that many are recorded at once. */
interface Batch {
  delivered: string[];
  released: string[];
  failures: Failure[];
  /** Called when the failures have been recorded, or given up. */
  recorded: (() => void)[];
}

export interface Recorder {
  delivered(number: string): void;
  released(numbers: string[]): void;
  failed(failure: Failure, recorded: () => void): void;
  /** Outcomes that are not in the database yet. */
  waiting(): number;
}

export interface RecorderDeps {
  database: Database;
  commands: Commands;
  log: Logger;
  now(): Date;
  random(): number;
  /** Called after each batch with the number of outcomes that it recorded. */
  onRecorded(): void;
}

/** How long outcomes are gathered. Milliseconds. */
const GATHER_MS = 8;
const BATCH = 1_000;
const TRIES = 5;

const emptyBatch = (): Batch => ({ delivered: [], released: [], failures: [], recorded: [] });

/**
 * Writes outcomes to the database, one batch at a time. While the database is away they are kept: what was delivered
 * should not be sent again. What cannot be recorded for another reason is let go; its lease ends and it is sent again.
 */
export function createRecorder(deps: RecorderDeps): Recorder {
  let batch = emptyBatch();
  let recording = 0;

  const size = (of: Batch) => of.delivered.length + of.released.length + of.failures.length;

  const rounds = createRounds(async () => {
    if (size(batch) === 0) return; // the round before has recorded what this one was asked for
    if (size(batch) < BATCH) await sleep(GATHER_MS);
    const full = batch;
    batch = emptyBatch();
    recording = size(full);
    await record(full, deps);
    recording = 0;
    for (const recorded of full.recorded) recorded();
    deps.onRecorded();
  });

  return {
    delivered(number) {
      batch.delivered.push(number);
      rounds.ask();
    },
    released(numbers) {
      batch.released.push(...numbers);
      rounds.ask();
    },
    failed(failure, recorded) {
      batch.failures.push(failure);
      batch.recorded.push(recorded);
      rounds.ask();
    },
    waiting: () => size(batch) + recording,
  };
}

async function record(batch: Batch, deps: RecorderDeps): Promise<void> {
  const { database } = deps;
  await Promise.all([
    batch.delivered.length > 0 && persist(deps, () => recordDelivered(database, batch.delivered)),
    batch.released.length > 0 && persist(deps, () => releaseClaims(database, batch.released)),
    batch.failures.length > 0 && persist(deps, () => writeFailures(deps, batch.failures)),
  ]);
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

/**
 * One transaction for the endpoints that began to fail, the start of their recoveries, and the attempts that were used
 * up. Endpoints are locked before events, as everywhere.
 */
async function writeFailures(deps: RecorderDeps, failures: Failure[]): Promise<void> {
  const { database, commands, now, random } = deps;
  const at = now();
  const byEndpoint = new Map(failures.map((failure) => [endpointOf(failure), failure]));
  for (const failure of failures) {
    const known = byEndpoint.get(endpointOf(failure));
    // The endpoint's schedule goes by the delivery that has failed most often.
    if (known && failure.event.attempts > known.event.attempts) byEndpoint.set(endpointOf(failure), failure);
  }
  const worst = [...byEndpoint.values()];
  const gone = failures.filter(({ attempt }) => attempt.gone).map(({ event }) => event);
  await database.transaction(async (tx) => {
    const failing = await markFailing(
      tx,
      worst.filter(({ attempt }) => !attempt.gone).map((failure) => failedEndpoint(failure, at, random())),
      at,
    );
    const disabled = gone.length > 0 ? await markDisabled(tx, gone, at) : [];
    await recordFailures(
      tx,
      failures.map(({ event, attempt }) => ({ number: event.number, code: attempt.code })),
    );
    if (disabled.length > 0) await parkDue(tx, disabled);
    commands.append(
      tx,
      [...failing, ...disabled].map((endpoint) => recoveryCommand(endpoint)),
    );
  });
}

const endpointOf = ({ event }: Failure) => `${event.tenantId} ${event.registration} ${event.url}`;

function failedEndpoint({ event, attempt }: Failure, at: Date, random: number): FailedEndpoint {
  const { tenantId, registration, url, attempts } = event;
  const next = firstProbe(attempts + 1, jitterOf(random), attempt.retryAfterMs);
  const nextProbeAt = new Date(at.getTime() + next.waitMs);
  return { tenantId, registration, url, code: attempt.code, index: next.index, nextProbeAt };
}
