import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { startWorkers } from '../../workers/worker';
import { ensureDemoBins } from '../cards/programmes/operations';
import type { Config, Role } from '../kernel/config';
import { createDatabase } from '../kernel/db/database';
import { migrate } from '../kernel/db/migrate';
import { createMetrics, type Metrics } from '../kernel/metrics/metrics';
import { createMetricsServer } from '../kernel/metrics/server';
import { WATCHED_PARTIES } from '../kernel/outbox/queues';
import { createRateLimiter } from '../kernel/rate-limit';
import { createRateShare, keepRateShare } from '../kernel/rate-share';
import { createKeyring, type Keyring } from '../kernel/security/keyring';
import { createTemporalClient, type TemporalClient } from '../kernel/temporal/connection';
import { createHandOver } from '../kernel/temporal/hand-over';
import { startReconciler } from '../kernel/temporal/reconciler';
import { startRelay } from '../kernel/temporal/relay';
import { INSTALLATION } from '../operator/operators/operations';
import { keepAdminLimit } from '../process/limits/operations';
import type { Services } from '../services';
import { chainWatchers } from '../watch/chains/process';
import { closeServer, createApiServer, listen } from './http-server';
import type { Infrastructure } from './infrastructure';
import { keepLocalDelegate } from './local-chain/delegate';
import { ensureLocalNetwork } from './local-chain/network';
import { awaitSchema } from './schema';
import type { Stages } from './stages';
import type { Compose, Composition } from './wiring';

export interface Setup {
  config: Config;
  role: Role;
  log: Logger;
  /** Every part registers here how it is stopped. */
  stages: Stages;
  infrastructure: Infrastructure;
  masterKey: Buffer;
  compose: Compose;
}

export interface Product {
  services: Services;
  /** Absent in a worker. */
  port: number | undefined;
  metricsPort: number;
}

interface Parts extends Setup {
  keyring: Keyring;
  temporal: TemporalClient;
  composition: Composition;
  services: Services;
  metrics: Metrics;
  /** Where the API listens; what the configuration says until it does. */
  address: { port: number };
}

/** The workers' first start bundles the workflows; Temporal may also be away just now. */
const WORKERS_READY_MS = 60_000;
const METRICS_CLOSE_SECONDS = 1;

/**
 * Starts what the role asks for on a Postgres and a Temporal that are there, and resolves when all of it works. The API
 * is the last to start and the first to stop.
 */
export async function startProduct(setup: Setup): Promise<Product> {
  const { config, role, log, stages } = setup;
  if (role === 'all') await migrate(setup.infrastructure.databaseUrl);
  const parts = connect(setup);
  const { services } = parts;
  if (role !== 'all') await awaitSchema(services.database, log, stages);
  await services.database.transaction((tx) => keepAdminLimit(tx, config.adminLimit, INSTALLATION));
  if (config.mode === 'sandbox') await services.database.transaction((tx) => ensureDemoBins(tx));
  const { chainUrl } = setup.infrastructure;
  if (chainUrl !== null) await setUpLocalChain(parts, chainUrl);
  const metricsPort = await serveMetrics(parts);
  const working = role === 'api' ? undefined : startProcesses(parts);
  const port = role === 'worker' ? undefined : await serveApi(parts);
  await working?.();
  log.info({ port, metricsPort }, 'started');
  return { services, port, metricsPort };
}

async function setUpLocalChain({ services, stages }: Parts, url: string): Promise<void> {
  await ensureLocalNetwork(services, url);
  const delegate = keepLocalDelegate(services, url);
  stages.started('contract of the local chain', () => delegate.end());
}

function connect(setup: Setup): Parts {
  const { config, log, stages, infrastructure, role } = setup;
  const keyring = createKeyring(setup.masterKey);
  const database = createDatabase({
    url: infrastructure.databaseUrl,
    poolSize: config.databasePool,
    name: `cardwright ${role}`,
  });
  stages.started('database', () => database.close());
  const temporal = createTemporalClient(temporalOptions(setup), keyring);
  stages.started('Temporal client', () => temporal.close());
  const handOver = createHandOver({
    ...{ client: temporal.client, database, log },
    firstStep: (command) => composition.firstStep(command),
  });
  stages.started('hand-over', () => handOver.stop());
  const address = { port: config.port };
  const ownUrl = () => `http://${reachable(config.host)}:${address.port}`;
  const readings = () => composition.readings;
  const metrics = createMetrics({ pool: () => database.counts(), database, readings });
  const composition = setup.compose({
    database,
    keyring,
    log,
    mode: config.mode,
    documents: config.documents,
    cardholderReviewSeconds: config.cardholderReviewSeconds,
    sandboxRates: config.sandboxRates,
    settlementDifferenceSeconds: config.settlementDifferenceSeconds,
    settlementWaitSeconds: config.settlementWaitSeconds,
    walletQuarantineSeconds: config.walletQuarantineSeconds,
    handOver,
    temporalIsServing: () => temporal.isServing(),
    publicUrl: () => config.publicUrl ?? ownUrl(),
    stripe: config.stripe,
    ratesSource: config.ratesSource,
    partySettings: config.parties,
    sandboxPartiesUrl: () => config.sandboxPartiesUrl ?? ownUrl(),
    observers: metrics.observers,
  });
  return { ...setup, keyring, temporal, composition, services: composition.services, metrics, address };
}

/** An address that listens on every interface is no place to call. */
function reachable(host: string): string {
  return ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
}

function temporalOptions({ config, infrastructure }: Setup) {
  const { namespace, encrypt } = config.temporal;
  return { address: infrastructure.temporalAddress, namespace, encrypt };
}

async function serveMetrics({ config, metrics, services, stages }: Parts): Promise<number> {
  const server = createMetricsServer({ metrics, readiness: () => services.readiness() });
  const port = await listen(server, config.host, config.metricsPort, 'METRICS_PORT');
  stages.started('metrics', () => closeServer(server, METRICS_CLOSE_SECONDS));
  return port;
}

async function serveApi({
  config,
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
  const api = composition.api({ observe: metrics.observe, publicUrl: config.publicUrl, spend });
  stages.started('beside the API', () => composition.stop());
  const server: Server = createApiServer(api);
  const port = await listen(server, config.host, config.port, 'PORT');
  stages.started('API', () => closeServer(server, config.shutdownSeconds));
  address.port = port;
  return port;
}

/** Workers, relay and reconciler. @returns waits until every queue is worked on */
function startProcesses(parts: Parts): () => Promise<void> {
  const { config, log, stages, composition, services, temporal, keyring } = parts;
  const { database, commands } = services;
  const { client } = temporal;
  const workers = startWorkers({
    temporal: temporalOptions(parts),
    keyring,
    activities: composition.activities,
    log,
    dataDir: config.dataDir,
    shutdownSeconds: config.shutdownSeconds,
  });
  stages.started('workers', () => workers.shutdown());
  const reconciler = startReconciler({
    client,
    database,
    commands,
    reconcilables: composition.reconcilables,
    log,
    followers: chainWatchers,
    watched: WATCHED_PARTIES.filter((party) => config.parties[party] !== 'off'),
  });
  stages.started('reconciler', () => reconciler.stop());
  const relay = startRelay({ client, database, log });
  stages.started('relay', () => relay.stop());
  return async () => {
    const deadline = performance.now() + WORKERS_READY_MS;
    while (!workers.isRunning() && performance.now() < deadline) await sleep(50);
    if (!workers.isRunning()) log.warn('the workers do not run yet: Temporal does not answer');
  };
}
