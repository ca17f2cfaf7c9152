import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../../kernel/db/database';
import { isAway } from '../../../kernel/db/faults';
import type { Commands } from '../../../kernel/outbox/commands';
import { type FailedEndpoint, markFailing, noteOutcomes, type Outcome, seriesOf } from '../outcomes';
import type { EndpointKey } from '../record';
import { recoveryCommand } from '../recovery-command';
import { markDisabled } from '../store';
import type { Attempt } from './poster';
import { createRounds } from './rounds';
import { firstProbe, jitterOf, type NextProbe } from './schedule';
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
  /** Of endpoints that have failed lately, in the order in which they came. */
  outcomes: Outcome[];
  /** Called when the failures have been recorded, or given up. */
  recorded: (() => void)[];
}

export interface Recorder {
  /** @param note whether the endpoint is to know it too: it has failed lately */
  delivered(event: ClaimedEvent, note: boolean): void;
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

const emptyBatch = (): Batch => ({
  ...{ delivered: [], released: [], failures: [], outcomes: [], recorded: [] },
});

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
    delivered(event, note) {
      batch.delivered.push(event.number);
      if (note) batch.outcomes.push(outcomeOf(event, true));
      rounds.ask();
    },
    released(numbers) {
      batch.released.push(...numbers);
      rounds.ask();
    },
    failed(failure, recorded) {
      batch.failures.push(failure);
      batch.outcomes.push(outcomeOf(failure.event, false));
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
    batch.outcomes.length > 0 && persist(deps, () => writeOutcomes(deps, batch)),
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

const outcomeOf = ({ tenantId, registration, url }: ClaimedEvent, ok: boolean): Outcome => ({
  ...{ tenantId, registration, url, ok },
});

/** A failure, and when its event is to be tried again. */
interface Judged extends Failure {
  next: NextProbe;
}

/**
 * One transaction for what endpoints have taken and not, those that began to fail, the start of their recoveries, and the
 * attempts that were used up. Endpoints are locked before events, as everywhere.
 */
async function writeOutcomes(deps: RecorderDeps, { outcomes, failures }: Batch): Promise<void> {
  const { database, commands, now, random } = deps;
  const at = now();
  const judged = failures.map((failure): Judged => {
    const { event, attempt } = failure;
    return { ...failure, next: firstProbe(event.attempts + 1, jitterOf(random()), attempt.retryAfterMs) };
  });
  const gone = failures.filter(({ attempt }) => attempt.gone).map(({ event }) => event);
  await database.transaction(async (tx) => {
    const failed = new Set((await noteOutcomes(tx, seriesOf(outcomes), at)).map(endpointOf));
    const worst = worstOfEach(
      judged.filter(({ event, attempt }) => !attempt.gone && failed.has(endpointOf(event))),
    );
    const failing =
      worst.length > 0
        ? await markFailing(
            tx,
            worst.map((one) => failedEndpoint(one, at)),
            at,
          )
        : [];
    const disabled = gone.length > 0 ? await markDisabled(tx, gone, at) : [];
    if (judged.length > 0) await recordFailures(tx, judged.map(failedAttempt));
    if (disabled.length > 0) await parkDue(tx, disabled);
    commands.append(
      tx,
      [...failing, ...disabled].map((endpoint) => recoveryCommand(endpoint)),
    );
  });
}

/** The schedule of an endpoint goes by the delivery that has failed most often. */
function worstOfEach(failures: Judged[]): Judged[] {
  const worst = new Map<string, Judged>();
  for (const failure of failures) {
    const known = worst.get(endpointOf(failure.event));
    if (!known || failure.event.attempts > known.event.attempts)
      worst.set(endpointOf(failure.event), failure);
  }
  return [...worst.values()];
}

const endpointOf = ({ tenantId, registration, url }: EndpointKey & { url: string }) =>
  `${tenantId} ${registration} ${url}`;

const failedAttempt = ({ event, attempt, next }: Judged) => ({
  ...{ number: event.number, code: attempt.code, retryMs: next.waitMs },
});

function failedEndpoint({ event, attempt, next }: Judged, at: Date): FailedEndpoint {
  const { tenantId, registration, url } = event;
  const nextProbeAt = new Date(at.getTime() + next.waitMs);
  return { tenantId, registration, url, code: attempt.code, index: next.index, nextProbeAt };
}
