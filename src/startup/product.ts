import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { PROCESS_QUEUES, startWorkers, WEBHOOK_QUEUES, type Workers } from '../../workers/worker';
import { ensureDemoBins } from '../cards/programmes/operations';
import { warnOfFewHosts } from '../chain/networks/nodes/hosts';
import { listOpened } from '../chain/networks/operations';
import { INSTALLATION } from '../desk/operators/operations';
import type { Config, Role } from '../kernel/config/config';
import { callOthers, hearOthers } from '../kernel/db/calls';
import { createDatabase, type Database } from '../kernel/db/database';
import { lookoutOf } from '../kernel/db/lookout';
import { countCommitted } from '../kernel/metrics/committed';
import { createMetrics, type Metrics } from '../kernel/metrics/metrics';
import { createMetricsServer } from '../kernel/metrics/server';
import { eventsCommitted } from '../kernel/outbox/events';
import { WATCHED_PARTIES } from '../kernel/outbox/queues';
import { PARTIES } from '../kernel/parties';
import { createRateLimiter } from '../kernel/rate-limit';
import { createRateShare, keepRateShare } from '../kernel/rate-share';
import { createReadiness, type ReadinessGate, type ReadinessParts } from '../kernel/readiness';
import { openKeyring } from '../kernel/security/installation-keys';
import { keepKeyring } from '../kernel/security/keep-keyring';
import type { Keyring } from '../kernel/security/keyring';
import type { MasterKeys } from '../kernel/security/master-keys/port';
import { createTemporalClient, type TemporalClient } from '../kernel/temporal/connection';
import { startDueSchedules } from '../kernel/temporal/due-schedules';
import { createHandOver } from '../kernel/temporal/hand-over';
import { createPresence, type Presence } from '../kernel/temporal/presence';
import { startReconciler } from '../kernel/temporal/reconciler';
import { startRelay } from '../kernel/temporal/relay';
import { tracedDatabase } from '../kernel/tracing/database';
import { isTracing, useTracer } from '../kernel/tracing/trace';
import { keepLimits } from '../process/limits/operations';
import type { Services } from '../services';
import { chainWatchers } from '../watch/chains/process';
import { afterClock, keepClock } from './clock';
import { openCoins } from './coins';
import { keepCommitWatch } from './commit-watch';
import { DESK_FILE } from './desk-file';
import { freePort } from './embedded/ports';
import { writeState } from './embedded/state-file';
import { closeServer, createApiServer, drainServer, listen, reachable } from './http-server';
import type { Infrastructure } from './infrastructure';
import { keepLocalChainTime } from './local-chain/chain-time';
import { keepLocalDelegate } from './local-chain/delegate';
import { ensureLocalNetwork } from './local-chain/network';
import { machineOf } from './machine';
import { assertSettings, awaitRights, awaitSchema, migrateSchema } from './schema';
import { signWith } from './signer';
import { type Stages, StoppedWhileStarting } from './stages';
import type { Compose, Composition, Wiring } from './wiring';

export interface Setup {
  config: Config;
  role: Role;
  log: Logger;
  /** Each part registers here how it is stopped. */
  stages: Stages;
  infrastructure: Infrastructure;
  masterKeys: MasterKeys;
  /** Absent: this process does not sign for wallets. */
  signerKeys: MasterKeys | undefined;
  compose: Compose;
}

export interface Product {
  services: Services;
  /**
   * Resolves when everything works: workers when they poll, however long Temporal stays away, but dispatchers without it.
   * @throws Error as temporalFetch
   */
  ready(): Promise<void>;
  /** Absent without the API. */
  port: number | undefined;
  /** Absent without the desk. */
  deskPort: number | undefined;
  metricsPort: number;
}

/** The database and the opened keys, which every part needs. */
interface Base {
  database: Database;
  keyring: Keyring;
}

interface Parts extends Setup {
  keyring: Keyring;
  temporal: TemporalClient;
  onAway: Presence['missed'];
  composition: Composition;
  services: Services;
  metrics: Metrics;
  readiness: ReadinessGate;
  /** Port of the API, the configured one until the API listens. */
  address: { port: number };
  /** Workers of this process. Empty before their start, and in an API. */
  own: { workers?: Workers };
}

const LOOK_MS = 50;
const METRICS_CLOSE_SECONDS = 1;
const TRACES_END_MS = 3_000;

/**
 * Starts the parts of the role. Resolves when the API accepts requests. The API is the last to start and the first to
 * stop.
 */
export async function startProduct(setup: Setup): Promise<Product> {
  const { config, role } = setup;
  // Before all parts, because each of them asks once whether there are traces.
  if (config.tracesTo !== undefined) await traceTo(config.tracesTo, setup);
  const parts = connect(setup, await openBase(setup));
  const { services, stages } = parts;
  await keepClock(config.mode, services, stages);
  if (role !== 'dispatcher')
    await services.database.transaction((tx) => keepLimits(tx, config.limits, INSTALLATION));
  if (config.mode === 'sandbox') await services.database.transaction((tx) => ensureDemoBins(tx));
  for (const network of await listOpened(services, services.database)) warnOfFewHosts(services, network);
  if (setup.signerKeys)
    await signWith(setup, {
      database: services.database,
      keyring: services.keyring,
      signerKeys: setup.signerKeys,
    });
  const { chainUrl } = setup.infrastructure;
  if (chainUrl !== null) await setUpLocalChain(parts, chainUrl);
  const metricsPort = await serveMetrics(parts);
  const deskPort = role === 'desk' || role === 'all' ? await serveDesk(parts) : undefined;
  keepCalls(parts);
  if (role === 'worker' || role === 'all') {
    const commits = await keepCommitWatch(services, setup.config.dataDir);
    stages.started('watch over commits', () => commits.end());
  }
  if (role === 'worker' || role === 'dispatcher' || role === 'all') await startSteps(parts);
  if (role === 'worker' || role === 'all') startProcesses(parts);
  const port = role === 'api' || role === 'all' ? await serveApi(parts) : undefined;
  if (port === undefined && role !== 'desk') stages.started('readiness', async () => parts.readiness.end());
  return { services, ready: () => untilReady(parts), port, deskPort, metricsPort };
}

/** Loads the SDK of OpenTelemetry here and nowhere else. */
async function traceTo(endpoint: string, { role, stages }: Setup): Promise<void> {
  const { createTracing } = await import('../kernel/tracing/otlp.ts');
  const tracing = createTracing({ endpoint, role });
  const end = useTracer(tracing);
  stages.started('traces', async () => {
    // A collector that is away must not hold up the end of the process.
    const late = sleep(TRACES_END_MS, undefined, { ref: false });
    await Promise.race([tracing.stop().catch(() => undefined), late]);
    end();
  });
}

async function setUpLocalChain({ services, stages }: Parts, url: string): Promise<void> {
  await ensureLocalNetwork(services, url);
  const delegate = keepLocalDelegate(services, url);
  stages.started('contract of the local chain', () => delegate.end());
  const time = keepLocalChainTime(services, url);
  stages.started('time of the local chain', () => time.end());
}

/** Opens the database with its schema, and the installation's keys. */
async function openBase({ config, role, log, stages, infrastructure, masterKeys }: Setup): Promise<Base> {
  const { databaseUrl: url } = infrastructure;
  if (role === 'all') await migrateSchema(config, infrastructure);
  const opened = createDatabase({ url, poolSize: config.databasePool, name: `cardwright ${role}` });
  const database = isTracing() ? tracedDatabase(opened) : opened;
  stages.started('database', () => database.close());
  if (role !== 'all') await awaitSchema(database, log, stages);
  await awaitRights(database, config.mode, log, stages);
  await assertSettings(database, url);
  const keyring = await openKeyring(database, masterKeys);
  const kept = keepKeyring(keyring, database, log);
  stages.started('keyring', () => kept.stop());
  await openCoins(database, stages);
  return { database, keyring };
}

function connect(setup: Setup, { database, keyring }: Base): Parts {
  const { config, log, stages, infrastructure, role } = setup;
  const temporal = createTemporalClient(temporalOptions(setup), keyring);
  stages.started('Temporal client', () => temporal.close());
  const presence = createPresence({ absence: () => temporal.absence(), log });
  stages.started('presence of Temporal', () => presence.stop());
  const onAway = () => presence.missed();
  const handOver = createHandOver({
    client: temporal.client,
    database,
    log,
    onAway,
    firstStep: (...step) => composition.firstStep(...step),
    deskUrl: config.deskUrl,
  });
  stages.started('hand-over', () => handOver.stop());
  const address = { port: config.port };
  const own: Parts['own'] = {};
  const readiness = createReadiness(
    readinessParts(role, {
      postgres: () => database.query('select 1'),
      temporal: () => temporal.isServing(),
      workers: async () => own.workers?.isRunning() ?? false,
    }),
  );
  const ownUrl = () => `http://${reachable(config.host)}:${address.port}`;
  const readings = () => composition.readings;
  const beside = () => own.workers?.metricsUrl;
  const metrics = createMetrics({
    role: setup.role,
    pool: () => database.counts(),
    database,
    readings,
    machine: machineOf(config),
    beside,
  });
  const counted = countCommitted(metrics.observers);
  stages.started('counts of commits', async () => counted.stop());
  const composition = setup.compose({
    database,
    keyring,
    log,
    mode: config.mode,
    singleNodeForTests: config.singleNodeForTests,
    documents: config.documents,
    cardholderReviewSeconds: config.cardholderReviewSeconds,
    sandboxRates: config.sandboxRates,
    settlementDifferenceSeconds: config.settlementDifferenceSeconds,
    settlementWaitSeconds: config.settlementWaitSeconds,
    cardOrderWaitSeconds: config.cardOrderWaitSeconds,
    walletQuarantineSeconds: config.walletQuarantineSeconds,
    eventsKeptDays: config.eventsKeptDays,
    handOver,
    readiness: readiness.ask,
    publicUrl: () => config.publicUrl ?? ownUrl(),
    ...(role === 'dispatcher' ? NO_PARTIES : { ...config.outside, partySettings: config.parties }),
    sandboxPartiesUrl: () => config.sandboxPartiesUrl ?? ownUrl(),
    observers: metrics.observers,
    onClockAdvanced: () => afterClock(infrastructure, temporal, composition.services),
  });
  const { services } = composition;
  return { ...setup, keyring, temporal, onAway, composition, services, metrics, readiness, address, own };
}

/** A dispatcher calls no party, so it gets none of their secrets. */
const NO_PARTIES: Pick<Wiring, 'partySettings'> = {
  partySettings: Object.fromEntries(PARTIES.map((party) => [party, 'off'])),
};

type Checks = Record<'postgres' | 'temporal' | 'workers', () => Promise<unknown>>;

/**
 * Readiness by role. An API serves and a dispatcher delivers without Temporal, but a worker has no work without it
 * (decisions part 1, `GET /health/ready`).
 */
function readinessParts(role: Role, { postgres, temporal, workers }: Checks): ReadinessParts {
  if (role === 'api' || role === 'desk') return { needed: { postgres }, named: { temporal } };
  if (role === 'worker') return { needed: { postgres, temporal, workers } };
  if (role === 'dispatcher') return { needed: { postgres }, named: { temporal, workers } };
  return { needed: { postgres }, first: { temporal, workers } };
}

/** @throws StoppedWhileStarting when the process is told to stop first */
async function untilReady({ role, readiness, own, stages, infrastructure }: Parts): Promise<void> {
  let stopped = false;
  const stop = new Promise<void>((resolve) => {
    stages.started('wait for readiness', async () => {
      stopped = true;
      resolve();
    });
  });
  await Promise.race([infrastructure.temporalFetch, stop]);
  const waits = () => role !== 'dispatcher' && own.workers?.isRunning() === false;
  const works = async () => !waits() && (await readiness.ask()).state !== 'not_ready';
  while (!stopped && !(await works())) await sleep(LOOK_MS);
  if (stopped) throw new StoppedWhileStarting();
}

function temporalOptions({ config, infrastructure }: Setup) {
  const { namespace, encrypt, access } = config.temporal;
  const refusePlain = config.mode === 'live';
  return { address: infrastructure.temporalAddress, namespace, encrypt, refusePlain, ...access };
}

async function serveMetrics({ config, metrics, services, stages }: Parts): Promise<number> {
  const server = createMetricsServer({ metrics, readiness: () => services.readiness() });
  const port = await listen(server, config.metricsHost, config.metricsPort, 'METRICS_PORT');
  stages.started('metrics', () => closeServer(server, METRICS_CLOSE_SECONDS));
  return port;
}

async function serveApi({
  config,
  readiness,
  log,
  composition,
  services,
  metrics,
  stages,
  address,
}: Parts): Promise<number> {
  const share = createRateShare({ database: services.database, log });
  const kept = await keepRateShare(share);
  stages.started('share of the rate limit', () => kept.stop());
  const spend = createRateLimiter(undefined, share.share);
  const { publicUrl, trustedProxies } = config;
  const api = composition.api({ observe: metrics.observe, publicUrl, spend, trustedProxies });
  stages.started('beside the API', () => composition.stop());
  const server: Server = createApiServer(api, { trustedProxies });
  const port = await listen(server, config.host, config.port, 'PORT');
  stages.started('API', () => drainServer(server, readiness, config));
  address.port = port;
  return port;
}

const DESK_PORT = 8091;

/** The process that plays all roles takes a free port, because it writes the address to DATA_DIR. */
export const deskPortOf = (role: Role, { deskPort }: Pick<Config, 'deskPort'>): number =>
  deskPort ?? (role === 'all' ? 0 : DESK_PORT);

async function serveDesk({
  config,
  role,
  composition,
  metrics,
  stages,
  infrastructure,
  readiness,
}: Parts): Promise<number> {
  const { temporalUi } = infrastructure;
  const workflows = `${temporalUi?.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(config.temporal.namespace)}/workflows/`;
  const workflowUrl = (id: string) => (temporalUi === null ? null : workflows + encodeURIComponent(id));
  const { trustedProxies } = config;
  const desk = composition.desk({
    observe: metrics.observe,
    workflowUrl,
    temporalUi: temporalUi ?? undefined,
    signInRules: config.deskSignIn,
    trustedProxies,
  });
  const server = createApiServer(desk, { trustedProxies });
  const port = await listen(server, config.deskHost, deskPortOf(role, config), 'DESK_PORT');
  // In the process of all roles the API drains before, and the desk has no balancer.
  stages.started('desk', () =>
    role === 'desk' ? drainServer(server, readiness, config) : closeServer(server, config.shutdownSeconds),
  );
  if (role === 'all')
    await writeState(join(config.dataDir, DESK_FILE), {
      url: `http://${reachable(config.deskHost)}:${port}`,
    });
  return port;
}

/** A worker or a dispatcher hears when another process writes after a quiet second. One process needs no call, because its commits wake its loops. */
function keepCalls({ role, services: { database }, infrastructure, stages }: Parts): void {
  if (role === 'all') return;
  const call = () => callOthers(database);
  eventsCommitted.subscribe(call);
  stages.started('calls to other processes', async () => void eventsCommitted.unsubscribe(call));
  if (role !== 'worker' && role !== 'dispatcher') return;
  const source = { url: infrastructure.databaseUrl, name: `cardwright ${role}` };
  const hearing = hearOthers(source, () => lookoutOf(database).wake());
  stages.started('calls of other processes', () => hearing.stop());
}

/** Starts the workers of the role's queues. A process that delivers webhooks also does so while Temporal is away. */
async function startSteps(parts: Parts): Promise<void> {
  const { config, role, log, stages, composition, keyring, onAway } = parts;
  const delivers = role !== 'worker' || config.workerWebhooks;
  if (delivers) {
    const standIn = composition.standIn();
    stages.started('webhooks without Temporal', () => standIn.stop());
  }
  const workers = startWorkers({
    temporal: temporalOptions(parts),
    queues: [...(role === 'dispatcher' ? [] : PROCESS_QUEUES), ...(delivers ? WEBHOOK_QUEUES : [])],
    keyring,
    activities: composition.activities,
    log,
    dataDir: config.dataDir,
    shutdownSeconds: config.shutdownSeconds,
    onAway,
    metricsPort: await freePort(),
  });
  parts.own.workers = workers;
  stages.started('workers', () => workers.shutdown());
}

/** Starts relay and reconciler. */
function startProcesses({ config, log, stages, composition, services, temporal, onAway }: Parts): void {
  const { database, commands } = services;
  const { client } = temporal;
  const reconciler = startReconciler({
    client,
    database,
    commands,
    reconcilables: composition.reconcilables,
    log,
    now: () => services.now().getTime(),
    onAway,
    followers: chainWatchers,
    watched: WATCHED_PARTIES.filter((party) => config.parties[party] !== 'off'),
  });
  stages.started('reconciler', () => reconciler.stop());
  const schedules = startDueSchedules({ client, database, log, due: composition.dueSchedules, onAway });
  stages.started('due schedules', () => schedules.stop());
  const relay = startRelay({ client, database, log, onAway, deskUrl: config.deskUrl });
  stages.started('relay', () => relay.stop());
}
