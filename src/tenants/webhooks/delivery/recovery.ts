import type { Database, Sql, Tx } from '../../../kernel/db/database';
import { type Endpoint, type EndpointKey } from '../record';
import { findEndpoint, markActive, markDisabled, setNextProbe } from '../store';
import { laneKey } from './lane';
import type { Attempt, Poster } from './poster';
import { jitterOf, probeAfter } from './schedule';
import type { SigningSecrets } from './signing-secrets';
import { type ClaimedEvent, claimOldest, hasDue, parkDue, recordDelivered, recordFailures } from './store';

export interface RecoveryDeps {
  database: Database;
  poster: Poster;
  secrets: SigningSecrets;
}

/** Where a recovery stands. Ids, numbers and codes only: it enters a workflow's history. */
export interface RecoveryState {
  failing: boolean;
  /** Milliseconds of the epoch, by the clock of the workflow that asks. */
  nextProbeAt: number;
  /** Of the last failed attempt. */
  code?: string;
  /** That the probed delivery has had. */
  attempts?: number;
}

export interface ProbeRequest extends EndpointKey {
  /** The workflow's clock: milliseconds of the epoch. */
  now: number;
  /** From 0 to 1, the workflow's. */
  random: number;
}

type OldestEvent = Omit<ClaimedEvent, 'url'>;

const LEASE_MS = 30_000;
/** The oldest event is still in a dispatcher's hands. */
const BUSY_MS = 5_000;
const NOT_FAILING: RecoveryState = { failing: false, nextProbeAt: 0 };

export async function readRecovery(sql: Sql, key: EndpointKey): Promise<RecoveryState> {
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
 * Tries the oldest waiting event of a failing endpoint, at the URL that is set now. When it is taken the endpoint is
 * active again; when its schedule is used up it is `failed` and the next event will be tried.
 */
export async function probeEndpoint(deps: RecoveryDeps, request: ProbeRequest): Promise<RecoveryState> {
  const { database, poster, secrets } = deps;
  const endpoint = await findEndpoint(database, request);
  if (endpoint?.status !== 'failing') return NOT_FAILING;
  const oldest = await claimOldest(database, request, LEASE_MS);
  if (!oldest) return nothingToProbe(database, endpoint, request);
  const secret = await secrets.of(endpoint.tenantId);
  const attempt = await poster.post(laneKey(endpoint), { ...oldest, url: endpoint.url, secret });
  return database.transaction((tx) => record(tx, endpoint, oldest, attempt, request));
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
  await setNextProbe(database, endpoint, { index: endpoint.probes, at: new Date(now + BUSY_MS) });
  return readRecovery(database, endpoint);
}

async function record(
  tx: Tx,
  endpoint: Endpoint,
  oldest: OldestEvent,
  attempt: Attempt,
  { now, random }: ProbeRequest,
): Promise<RecoveryState> {
  if (attempt.ok) {
    await markActive(tx, endpoint, 'probe_succeeded', new Date(now));
    await recordDelivered(tx, [oldest.number]);
    return readRecovery(tx, endpoint);
  }
  const disabled = attempt.gone ? await markDisabled(tx, [endpoint], new Date(now)) : [];
  const attempts = oldest.attempts + 1;
  const next = probeAfter(endpoint.probes, attempts, jitterOf(random), attempt.retryAfterMs);
  const at = new Date(now + next.waitMs);
  await setNextProbe(tx, endpoint, { index: next.index, at, code: attempt.code });
  await recordFailures(tx, [{ number: oldest.number, code: attempt.code }]);
  await parkDue(tx, disabled);
  return { ...(await readRecovery(tx, endpoint)), attempts };
}
