import type { Database, Sql, Tx } from '../../../kernel/db/database';
import type { EventIds } from '../../../kernel/outbox/event-id';
import { type Endpoint, type EndpointKey } from '../record';
import { findEndpoint, markActive, markDisabled, setNextProbe } from '../store';
import { attemptMade } from './attempts';
import { laneKey } from './lane';
import { parkDue, unpark } from './moves';
import type { Attempt, Poster } from './poster';
import { jitterOf, probeAfter, retryIn } from './schedule';
import type { SigningSecrets } from './signing-secrets';
import { claimProbe, hasDue, type ProbeEvent, recordDelivered, recordFailures } from './store';

export interface RecoveryDeps {
  database: Database;
  poster: Poster;
  secrets: SigningSecrets;
  ids: EventIds;
  /**
   * Longest wait between two probes, unless the receiver's `Retry-After` asks for more. Milliseconds. Infinite where the
   * schedule decides.
   */
  maxProbeMs: number;
}

/** Progress of a recovery. Ids, numbers and codes only, because it enters a workflow's history. */
export interface RecoveryState {
  failing: boolean;
  /** Milliseconds of the epoch, by the clock of the calling workflow. */
  nextProbeAt: number;
  /** Code of the last failed attempt. */
  code?: string;
  /** Attempts of the probed delivery. */
  attempts?: number;
}

export interface ProbeRequest extends EndpointKey {
  /** The workflow's clock, milliseconds of the epoch. */
  now: number;
  /** From 0 to 1, from the workflow. */
  random: number;
}

const LEASE_MS = 30_000;
/** Wait while a dispatcher still holds the event. */
const BUSY_MS = 5_000;
/** Failed probes of one event before another one is tried, because the receiver may fail on that event alone. */
const PROBES_OF_ONE = 2;
/** An endpoint that has accepted nothing for this long is disabled. */
const GIVEN_UP_AFTER_MS = 7 * 24 * 60 * 60_000;
/** Tolerance for differing clocks when a probe's time is compared. */
const CLOCKS_APART_MS = 1_000;
const NOT_FAILING: RecoveryState = { failing: false, nextProbeAt: 0 };

/**
 * Starts or resumes a recovery. Events that were parked while the endpoint was disabled become due again if it has been
 * set since.
 * @returns progress of the recovery
 */
export async function beginRecovery(sql: Sql, key: EndpointKey): Promise<RecoveryState> {
  await unpark(sql, key);
  return readRecovery(sql, key);
}

async function readRecovery(sql: Sql, key: EndpointKey): Promise<RecoveryState> {
  const endpoint = await findEndpoint(sql, key);
  return endpoint?.status === 'failing' ? stateOf(endpoint) : NOT_FAILING;
}

function stateOf(endpoint: Endpoint): RecoveryState {
  return {
    failing: true,
    nextProbeAt: endpoint.nextProbeAt?.getTime() ?? 0,
    code: endpoint.lastError ?? undefined,
  };
}

/**
 * Sends a waiting event to a failing endpoint at its present URL, unless the next probe is not due yet. A success makes
 * the endpoint active. After two failures of one event the next probe uses another.
 */
export async function probeEndpoint(deps: RecoveryDeps, request: ProbeRequest): Promise<RecoveryState> {
  const { database, poster, secrets, ids } = deps;
  const endpoint = await findEndpoint(database, request);
  if (endpoint?.status !== 'failing') return beginRecovery(database, request); // may have been set again
  // The workflow was woken for another reason, or twice.
  if (Number(endpoint.nextProbeAt) > request.now + CLOCKS_APART_MS) return stateOf(endpoint);
  const event = await claimProbe(database, {
    tenantId: request.tenantId,
    registration: request.registration,
    leaseMs: LEASE_MS,
    last: endpoint.probeEvent,
    tryLastAgain: endpoint.probeFailures < PROBES_OF_ONE,
  });
  if (!event) return nothingToProbe(database, endpoint, request);
  const keys = await secrets.of(endpoint.tenantId);
  const claimedAt = performance.now();
  const mayBegin = () => performance.now() - claimedAt < LEASE_MS / 2;
  const delivery = { ...event, id: ids.of(event), url: endpoint.url, keys, mayBegin };
  const attempt = await poster.post(laneKey(endpoint), delivery);
  if (!attempt) return nothingToProbe(database, endpoint, request); // this process was stopped after its claim
  return database.transaction((tx) => record(tx, deps, endpoint, event, attempt, request));
}

async function nothingToProbe(
  database: Database,
  endpoint: Endpoint,
  { now }: ProbeRequest,
): Promise<RecoveryState> {
  if (!(await hasDue(database, endpoint))) {
    await markActive(database, endpoint, 'nothing_waits', new Date(now));
    return readRecovery(database, endpoint);
  }
  await setNextProbe(database, endpoint, { probes: endpoint.probes, nextProbeAt: new Date(now + BUSY_MS) });
  return readRecovery(database, endpoint);
}

async function record(
  tx: Tx,
  { maxProbeMs }: RecoveryDeps,
  endpoint: Endpoint,
  event: ProbeEvent,
  attempt: Attempt,
  request: ProbeRequest,
): Promise<RecoveryState> {
  const now = new Date(request.now);
  const made = attemptMade(endpoint.urlId, attempt);
  if (attempt.ok) {
    await markActive(tx, endpoint, 'probe_succeeded', now);
    await recordDelivered(tx, [{ number: event.number, made }]);
    return readRecovery(tx, endpoint);
  }
  // A probe before the event's own turn is one more than its schedule has.
  const isExtra = Number.isFinite(maxProbeMs) && event.dueAt.getTime() > request.now + CLOCKS_APART_MS;
  const attempts = event.attempts + (isExtra ? 0 : 1);
  const jitter = jitterOf(request.random);
  const next = probeAfter(endpoint.probes, jitter, attempt.retryAfterMs, maxProbeMs);
  const ended = endOf(endpoint, attempt, request.now);
  const disabled = ended ? await markDisabled(tx, [endpoint], now, ended) : [];
  await setNextProbe(tx, endpoint, {
    probes: next.index,
    nextProbeAt: new Date(request.now + next.waitMs),
    lastError: attempt.code,
    probeEvent: event.number,
    probeFailures: event.number === endpoint.probeEvent ? endpoint.probeFailures + 1 : 1,
  });
  const retryMs = isExtra ? null : retryIn(attempts, jitter, attempt.retryAfterMs);
  await recordFailures(tx, [{ number: event.number, made, code: attempt.code, retryMs }]);
  await parkDue(tx, disabled);
  return { ...(await readRecovery(tx, endpoint)), attempts };
}

/** Why a failed probe ends the recovery. Undefined when it goes on. */
function endOf(endpoint: Endpoint, attempt: Attempt, now: number): 'gone' | 'took_nothing' | undefined {
  if (attempt.gone) return 'gone';
  const since = endpoint.failingSince;
  return since && now - since.getTime() >= GIVEN_UP_AFTER_MS ? 'took_nothing' : undefined;
}
