import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../../kernel/db/database';
import { isAway } from '../../../kernel/db/faults';
import type { Commands } from '../../../kernel/outbox/commands';
import { type FailedEndpoint, markFailing, noteOutcomes, type Outcome, seriesOf } from '../outcomes';
import type { EndpointKey } from '../record';
import { recoveryCommand } from '../recovery-command';
import { markDisabled } from '../store';
import { attemptMade, type EventAttempt } from './attempts';
import { parkDue } from './moves';
import type { Attempt } from './poster';
import { createRounds } from './rounds';
import { firstProbe, jitterOf, retryIn } from './schedule';
import type { ClaimedEvent, FailedAttempt } from './store';
import { recordDelivered, recordFailures, releaseClaims } from './store';

export interface Failure {
  event: ClaimedEvent;
  attempt: Attempt;
}

/** Outcomes of claimed events, gathered for one transaction. */
interface Batch {
  delivered: EventAttempt[];
  released: string[];
  failures: Failure[];
  /** Outcomes that count, of endpoints that have failed lately, in order of arrival. */
  outcomes: Outcome[];
  /** Called when the failures were recorded or given up. */
  recorded: (() => void)[];
}

export interface Recorder {
  /** @param note whether the endpoint's health is updated as well, because it has failed lately */
  delivered(event: ClaimedEvent, attempt: Attempt, note: boolean): void;
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
 * event is sent again.
 */
export function createRecorder(deps: RecorderDeps): Recorder {
  let batch = emptyBatch();
  let recording = 0;

  const size = (of: Batch) => of.delivered.length + of.released.length + of.failures.length;

  const rounds = createRounds(async () => {
    if (size(batch) === 0) return; // the previous round has recorded everything
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
    delivered(event, attempt, note) {
      batch.delivered.push({ number: event.number, made: attemptMade(event.urlId, attempt) });
      if (note) batch.outcomes.push(outcomeOf(event, true));
      rounds.ask();
    },
    released(numbers) {
      batch.released.push(...numbers);
      rounds.ask();
    },
    failed(failure, recorded) {
      batch.failures.push(failure);
      if (counts(failure)) batch.outcomes.push(outcomeOf(failure.event, false));
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
    batch.outcomes.length + batch.failures.length > 0 && persist(deps, () => writeOutcomes(deps, batch)),
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

/** Whether a failure counts against the endpoint: the first failure of an event, and a 410. */
const counts = ({ event, attempt }: Failure) => event.attempts === 0 || attempt.gone;

const outcomeOf = ({ tenantId, registration, url }: ClaimedEvent, ok: boolean): Outcome => ({
  tenantId,
  registration,
  url,
  ok,
});

/**
 * Writes outcomes, used-up attempts, newly failing endpoints and the start of their recoveries in one transaction.
 * Endpoints are locked before events, as everywhere.
 */
async function writeOutcomes(deps: RecorderDeps, { outcomes, failures }: Batch): Promise<void> {
  const { database, commands, now, random } = deps;
  const at = now();
  const gone = failures.filter(({ attempt }) => attempt.gone).map(({ event }) => event);
  const attempts = failures.map((failure) => failedAttempt(failure, jitterOf(random())));
  await database.transaction(async (tx) => {
    const failed = outcomes.length > 0 ? await noteOutcomes(tx, seriesOf(outcomes)) : [];
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

const failedAttempt = ({ event, attempt }: Failure, jitter: number): FailedAttempt => ({
  number: event.number,
  made: attemptMade(event.urlId, attempt),
  code: attempt.code,
  retryMs: retryIn(event.attempts + 1, jitter, attempt.retryAfterMs),
});

/** Failing endpoints of which an attempt has failed now. Successes never make an endpoint fail. */
function failedEndpoints(
  failed: (EndpointKey & { url: string })[],
  failures: Failure[],
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
