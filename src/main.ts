import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createActivities } from '../activities';
import { createWebhookDelivery } from '../activities/webhooks';
import {
  createApi,
  createDesk,
  createServices,
  DUE_SCHEDULES,
  firstStepOf,
  readings,
  reconcilables,
  stopBesideApi,
} from './composition';
import { buildId } from './kernel/build';
import { type Config, ConfigError, type Role, readConfig } from './kernel/config/config';
import type { PartyUse } from './kernel/config/outside';
import { createLogger } from './kernel/logging';
import { createMasterKeys } from './kernel/security/master-keys/create';
import { StartupError } from './kernel/startup-error';
import { traceOfLine } from './kernel/tracing/trace';
import { readArguments, type StartRole } from './startup/arguments';
import { claimFolders } from './startup/data-dir';
import { credentialsPath, ensureDemoCredentials } from './startup/demo-credentials';
import { assertPortFree, reachable } from './startup/http-server';
import {
  type DatabaseUrls,
  type Infrastructure,
  startDatabase,
  startInfrastructure,
} from './startup/infrastructure';
import { ensureKeyFile } from './startup/key-file';
import { watchLauncher } from './startup/launcher';
import { outliveOutput } from './startup/output';
import { startParties } from './startup/parties';
import { deskPortOf, type Product, startProduct } from './startup/product';
import { assertDatabase } from './startup/reach-database';
import { migrateSchema } from './startup/schema';
import { createSignals } from './startup/signals';
import { assertSignerKeys, signerKeysOfAll, startSigner } from './startup/signer';
import { createStages, type Stages, StoppedWhileStarting } from './startup/stages';
import { createVoice, type Voice } from './startup/voice';
import type { Composition, Wiring } from './startup/wiring';

/** Entry point of `npm start`: reads the configuration, starts the requested roles, and stops them in order. */
async function main(): Promise<void> {
  outliveOutput();
  const { role } = readArguments(process.argv.slice(2));
  // A migration has the owner's rights, so no key of the installation is given to it.
  const config = readConfig(process.env, PARTY_USE[role], role !== 'migrate');
  assertRole(role, config);
  const readable = process.stdout.isTTY && !config.production;
  const mixin = config.tracesTo === undefined ? undefined : traceOfLine;
  const log = createLogger({ level: config.logLevel, role, readable, mixin });
  if (role === 'migrate') return migrateOnly(config, log);
  const stages = createStages(log);
  const voice = createVoice({ terminal: readable, log });
  const run: Run = { config, log, stages, voice };
  const starting = startRole(run, role);
  stopOnSignals(run, starting);
  try {
    await starting;
  } catch (error) {
    await stages.stop();
    throw error;
  }
}

const PARTY_USE: Record<StartRole, PartyUse> = {
  all: 'reaches',
  api: 'reaches',
  worker: 'reaches',
  dispatcher: 'neither',
  desk: 'reaches',
  signer: 'neither',
  migrate: 'neither',
  parties: 'serves',
};

/** Roles that use only the database. */
const ALONE: readonly StartRole[] = ['migrate', 'signer'];

/** A separate role needs shared servers, because an embedded server belongs to one process. */
function assertRole(role: StartRole, config: Config): void {
  const missing = [
    ...(config.databaseUrl === undefined ? ['DATABASE_URL'] : []),
    ...(config.temporal.address === undefined && !ALONE.includes(role) ? ['TEMPORAL_ADDRESS'] : []),
  ];
  if (role === 'parties' && config.mode === 'live')
    throw new StartupError('--role parties serves the simulated parties: MODE=live has none.');
  assertSignerKeys(role, config);
  if (role === 'all' || role === 'parties' || missing.length === 0) return;
  throw new StartupError(
    `--role ${role} needs ${missing.join(' and ')}: it shares Postgres and Temporal with the other roles.`,
  );
}

function startRole(run: Run, role: Exclude<StartRole, 'migrate'>): Promise<void> {
  if (role === 'parties') return serveParties(run);
  return role === 'signer' ? sign(run) : start(run, role);
}

interface Run {
  config: Config;
  log: Logger;
  stages: Stages;
  voice: Voice;
}

async function migrateOnly(config: Config, log: Logger): Promise<void> {
  const urls = urlsOf(config);
  await assertReachable(config, urls);
  const applied = await migrateSchema(config, urls);
  log.info({ applied }, applied.length > 0 ? 'migrated' : 'nothing to migrate');
}

/** The addresses of a configured database. */
function urlsOf({ databaseUrl = '', databaseOwnerUrl: ownerUrl = databaseUrl }: Config): DatabaseUrls {
  return { databaseUrl, ownerUrl };
}

/** Checks the owner's address alone, because the first migration creates the other roles. @throws StartupError */
function assertReachable({ databaseOwnerUrl }: Config, { ownerUrl }: DatabaseUrls): Promise<void> {
  return assertDatabase(databaseOwnerUrl === undefined ? 'DATABASE_URL' : 'DATABASE_OWNER_URL', ownerUrl);
}

async function start(run: Run, role: Exclude<Role, 'signer'>): Promise<void> {
  const { config, log, stages, voice } = run;
  if (role === 'api' || role === 'all') await assertPortFree(config.host, config.port, 'PORT');
  if (role === 'desk' || role === 'all')
    await assertPortFree(config.deskHost, deskPortOf(role, config), 'DESK_PORT');
  await assertPortFree(config.metricsHost, config.metricsPort, 'METRICS_PORT');
  if (config.databaseUrl !== undefined && role === 'all') await assertReachable(config, urlsOf(config));
  else if (config.databaseUrl !== undefined) await assertDatabase('DATABASE_URL', config.databaseUrl);
  if (config.mode === 'live' && config.outside.witness === undefined && (role === 'worker' || role === 'all'))
    log.warn('AUDIT_HEAD_TO is not given: nobody outside is told the head of the audit log');
  await claimFolders(role, config);
  const masterKeys = createMasterKeys(
    config.masterKeys ?? (await ensureKeyFile(config.dataDir, 'MASTER_KEYS')),
  );
  const signerKeys = await signerKeysOfAll(role, run);
  const infrastructure = await startInfrastructure({ config, role, log, onProgress: voice.say, stages });
  const product = await startProduct({
    config,
    role,
    log,
    stages,
    infrastructure,
    masterKeys,
    signerKeys,
    compose,
  });
  if (role === 'all') return present(run, infrastructure, product);
  await product.ready();
  const { port, deskPort, metricsPort } = product;
  log.info({ port, deskPort, metricsPort, build: buildId() }, 'started');
}

/** Only signs. Listens nowhere, and reaches only the database. */
async function sign({ config, log, stages }: Run): Promise<void> {
  await assertDatabase('DATABASE_URL', config.databaseUrl as string);
  await claimFolders('signer', config);
  await startSigner({ config, log, stages });
  log.info('started');
}

/** Serves only the simulated parties, for an installation that reaches them as real ones. */
async function serveParties({ config, log, stages, voice }: Run): Promise<void> {
  await assertPortFree(config.host, config.port, 'PORT');
  if (config.databaseUrl !== undefined) await assertDatabase('DATABASE_URL', config.databaseUrl);
  await claimFolders('parties', config);
  const masterKeys = createMasterKeys(
    config.masterKeys ?? (await ensureKeyFile(config.dataDir, 'MASTER_KEYS')),
  );
  const urls = await startDatabase({ config, log, onProgress: voice.say, stages });
  const { url, path } = await startParties({ config, log, stages, urls, masterKeys });
  const where = path === undefined ? '' : `; their addresses and secrets are in ${path}`;
  voice.say(`The sandbox's parties are ready at ${url}${where}`);
}

function compose(wiring: Wiring): Composition {
  const services = createServices(wiring);
  const webhooks = createWebhookDelivery(services);
  return {
    services,
    api(options) {
      const handle = createApi(services, options).callback();
      return (request, response) => void handle(request, response);
    },
    desk(options) {
      const handle = createDesk(services, options).callback();
      return (request, response) => void handle(request, response);
    },
    activities: createActivities(services, webhooks.activities),
    standIn: webhooks.standIn,
    reconcilables: reconcilables(services),
    readings: readings(services),
    firstStep: firstStepOf(services),
    dueSchedules: DUE_SCHEDULES,
    stop: () => stopBesideApi(services),
  };
}

/** Writes the demo tenants' credentials to a file, and prints the addresses once everything works. */
async function present(
  { config, voice }: Run,
  infrastructure: Infrastructure,
  product: Product,
): Promise<void> {
  const baseUrl = config.publicUrl ?? `http://${reachable(config.host)}:${product.port}`;
  const { temporalUi, temporalFetch, chainUrl } = infrastructure;
  const { services } = product;
  const { database, keyring } = services;
  const sandbox = config.mode === 'sandbox';
  if (sandbox) {
    await ensureDemoCredentials({
      database,
      keyring,
      dataDir: config.dataDir,
      baseUrl,
      temporalUi,
    });
  }
  const credentials = sandbox ? resolve(credentialsPath(config.dataDir)) : undefined;
  if (temporalFetch) {
    const facts = { api: baseUrl, ...(credentials === undefined ? {} : { credentials }) };
    voice.say(
      `The API takes requests at ${baseUrl}. Deposits, reviews and webhooks begin when Temporal is there`,
      facts,
    );
  }
  await product.ready();
  voice.ready({
    mode: config.mode,
    seconds: process.uptime(),
    api: baseUrl,
    desk: `http://${reachable(config.deskHost)}:${product.deskPort}`,
    temporalUi,
    chain: chainUrl,
    metrics: `http://${reachable(config.metricsHost)}:${product.metricsPort}/metrics`,
    credentials,
  });
}

/** How long a start under way may take to notice that it must stop. It checks at its next stage. */
const STARTING_MS = 5_000;

function stopOnSignals({ config, stages, voice }: Run, starting: Promise<void>): void {
  const { interrupt, hangUp } = createSignals({
    async stop() {
      await stages.stop();
      const over = starting.catch(() => undefined);
      await Promise.race([over, sleep(STARTING_MS)]);
      await stages.stop();
    },
    say: voice.say,
    exit: (code) => process.exit(code),
    now: () => performance.now(),
  });
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.on('SIGHUP', hangUp);
  if (config.startedByNpm) watchLauncher({ parent: () => process.ppid, onGone: hangUp });
}

main().catch((error: Error) => {
  if (error instanceof StoppedWhileStarting) return; // the signal's handler ends the process
  const known = error instanceof ConfigError || error instanceof StartupError;
  process.stderr.write(`${known ? error.message : (error.stack ?? error.message)}\n`);
  process.exit(known ? 2 : 1);
});
