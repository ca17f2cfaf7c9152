import type { Config, Role } from '../kernel/config/config';
import { StartupError } from '../kernel/startup-error';
import { DECLARED_SEARCH_ATTRIBUTES } from '../kernel/temporal/search-attributes';
import { anvilExecutable } from './embedded/chain/binary';
import { startChain } from './embedded/chain/server';
import { statePathOf } from './embedded/kept-server';
import type { EmbeddedLog, OnProgress } from './embedded/log-file';
import { startPostgres } from './embedded/postgres/server';
import type { ProcessIdentity } from './embedded/process-identity';
import { readState, refuseOtherKeeper } from './embedded/state-file';
import { temporalExecutable } from './embedded/temporal/binary';
import { addressOf, choosePorts, type Ports, startTemporal, uiUrlOf } from './embedded/temporal/server';
import { defaultCacheDir } from './embedded/tool-cache';
import { type Stages, StoppedWhileStarting } from './stages';

/** Addresses of the database. Both are the same where one role does everything. */
export interface DatabaseUrls {
  /** The runtime role's. */
  databaseUrl: string;
  /** The owner's, for migrations. */
  ownerUrl: string;
}

/** Addresses of Postgres, Temporal and the sandbox's local chain. */
export interface Infrastructure extends DatabaseUrls {
  temporalAddress: string;
  temporalUi: string | null;
  /**
   * Resolves when Temporal serves, while its program is still downloaded or built. Null when nothing is fetched.
   * @throws Error with the reason why Temporal does not start
   */
  temporalFetch: Promise<void> | null;
  /** Address of the local chain's node. Null when none runs. */
  chainUrl: string | null;
}

interface Options {
  config: Config;
  log: EmbeddedLog;
  onProgress: OnProgress;
  stages: Stages;
}

interface InfrastructureOptions extends Options {
  role: Role;
}

interface Part {
  stop?: () => Promise<void>;
}

/**
 * Uses the configured servers, and starts embedded ones, concurrently, for Postgres and Temporal that are not
 * configured. Starts the sandbox's local chain as well.
 * @throws StartupError with the reason why a server does not run
 */
export async function startInfrastructure(options: InfrastructureOptions): Promise<Infrastructure> {
  const keep = keeper(options.stages);
  await tellWhatStarts(options);
  const [postgres, temporal, chain] = await Promise.allSettled([
    keep(postgresOf(options)),
    keep(temporalOf(options)),
    keep(chainOf(options)),
  ]);
  if (postgres.status === 'rejected' || temporal.status === 'rejected' || chain.status === 'rejected')
    throw failureOf([postgres, temporal, chain]);
  return {
    databaseUrl: postgres.value.databaseUrl,
    ownerUrl: postgres.value.ownerUrl,
    temporalAddress: temporal.value.address,
    temporalUi: temporal.value.ui,
    temporalFetch: temporal.value.fetch,
    chainUrl: chain.value.url,
  };
}

/** Names of the embedded servers by the base names of their state files. */
function embeddedParts(config: Config, role: Role): Map<string, string> {
  const parts = new Map<string, string>();
  if (config.databaseUrl === undefined) parts.set('postgres', 'Postgres');
  if (config.temporal.address === undefined) parts.set('temporal', 'Temporal');
  if (startsChain(config, role) && anvilExecutable() !== undefined) parts.set('chain', 'the local chain');
  return parts;
}

/** @throws StartupError when another process keeps a server of this folder, before any line announces a start */
async function tellWhatStarts({ config, role, onProgress }: InfrastructureOptions): Promise<void> {
  const { dataDir } = config;
  const parts = embeddedParts(config, role);
  for (const stem of parts.keys()) {
    const state = await readState<{ keeper?: ProcessIdentity }>(statePathOf(dataDir, stem));
    await refuseOtherKeeper(state?.keeper, dataDir).catch((error: Error) => {
      throw new StartupError(error.message);
    });
  }
  const names = [...parts.values()].join(', ').replace(/, ([^,]*)$/, ' and $1');
  if (names) onProgress(`Starting ${names} in ${dataDir}`);
}

/** Starts Postgres alone. */
export function startDatabase(options: Options): Promise<DatabaseUrls> {
  return keeper(options.stages)(postgresOf(options));
}

/**
 * One stage for all embedded servers, registered first. A server that comes up during the stop is stopped as well, however long a busy
 * machine takes for it.
 */
function keeper(stages: Stages) {
  const running: Part[] = [];
  const starts: Promise<unknown>[] = [];
  let ending = false;
  stages.started('embedded servers', async () => {
    ending = true;
    await Promise.all(running.map(async (part) => part.stop?.()));
    await Promise.allSettled(starts);
  });
  return function keep<P extends Part>(starting: Promise<P>): Promise<P> {
    const kept = stoppedIfLate(starting);
    starts.push(kept);
    return kept;
  };

  async function stoppedIfLate<P extends Part>(starting: Promise<P>): Promise<P> {
    const part = await starting;
    if (!ending) {
      running.push(part);
      return part;
    }
    await part.stop?.();
    throw new StoppedWhileStarting();
  }
}

function failureOf(parts: PromiseSettledResult<unknown>[]): Error {
  const reasons = parts.flatMap((part) => (part.status === 'rejected' ? [part.reason as Error] : []));
  const stopped = reasons.find((reason) => reason instanceof StoppedWhileStarting);
  return stopped ?? new StartupError([...new Set(reasons.map((reason) => reason.message))].join('\n'));
}

async function postgresOf({ config, log }: Options): Promise<Part & DatabaseUrls> {
  const { databaseUrl, databaseOwnerUrl: ownerUrl = databaseUrl } = config;
  if (databaseUrl !== undefined && ownerUrl !== undefined) return { databaseUrl, ownerUrl };
  const server = await startPostgres({ dataDir: config.dataDir, log, walFolder: config.walFolder });
  return { databaseUrl: server.runtimeUrl, ownerUrl: server.url, stop: () => server.stop() };
}

interface TemporalPart extends Part {
  address: string;
  ui: string | null;
  /** See {@link Infrastructure.temporalFetch}. */
  fetch: Promise<void> | null;
}

async function temporalOf(options: Options): Promise<TemporalPart> {
  const { config, onProgress } = options;
  const { address, uiUrl, uiPort } = config.temporal;
  if (address !== undefined) return { address, ui: uiUrl ?? null, fetch: null };
  const environment = process.env; // PATH and proxies, to find tools
  const cacheDir = defaultCacheDir(environment);
  let onFetch!: () => void;
  const isFetched = new Promise<undefined>((resolve) => (onFetch = () => resolve(undefined)));
  const mayFetch = config.mode !== 'live';
  const executable = temporalExecutable({ environment, cacheDir, onProgress, onFetch, mayFetch });
  const found = await Promise.race([executable, isFetched]);
  if (found === undefined) {
    const ports = await choosePorts({ dataDir: config.dataDir, uiPort });
    return fetchedTemporal(options, executable, ports);
  }
  const server = await embeddedTemporal(options, found);
  return { address: server.address, ui: uiUrl ?? server.uiUrl, fetch: null, stop: () => server.stop() };
}

/** Starts Temporal after its download. Its ports are chosen now, because the rest of the product starts meanwhile. */
function fetchedTemporal(options: Options, executable: Promise<string>, ports: Ports): TemporalPart {
  let starting: ReturnType<typeof startTemporal> | undefined;
  let isStopped = false;
  async function fetchAndStart(): Promise<void> {
    try {
      const path = await executable;
      if (isStopped) return;
      starting = embeddedTemporal(options, path, ports);
      await starting;
    } catch (error) {
      throw new StartupError((error as Error).message);
    }
  }
  const fetch = fetchAndStart();
  fetch.catch(() => undefined); // the product awaits it once it serves
  return {
    address: addressOf(ports),
    ui: options.config.temporal.uiUrl ?? uiUrlOf(ports),
    fetch,
    async stop() {
      isStopped = true;
      const server = await starting?.catch(() => undefined);
      await server?.stop();
    },
  };
}

function embeddedTemporal({ config, log }: Options, executable: string, ports?: Ports) {
  const { namespace, uiPort } = config.temporal;
  return startTemporal({
    dataDir: config.dataDir,
    executable,
    searchAttributes: DECLARED_SEARCH_ATTRIBUTES,
    namespace,
    log,
    uiPort,
    ...ports,
  });
}

const startsChain = ({ chain }: Config, role: Role): boolean => chain && role === 'all';

/** Starts the local chain. Belongs to one process, as all embedded servers do. The package of its node is optional. */
async function chainOf({
  config,
  role,
  log,
  onProgress,
}: InfrastructureOptions): Promise<Part & { url: string | null }> {
  if (!startsChain(config, role)) return { url: null };
  const executable = anvilExecutable();
  if (executable !== undefined) return startChain({ dataDir: config.dataDir, executable, log });
  onProgress('There is no local chain: its node, @foundry-rs/anvil, is not installed for this machine');
  return { url: null };
}
