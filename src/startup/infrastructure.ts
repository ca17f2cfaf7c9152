import type { Config, Role } from '../kernel/config';
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

/** Where Postgres, Temporal and the sandbox's own chain are. */
export interface Infrastructure {
  databaseUrl: string;
  temporalAddress: string;
  temporalUi: string | null;
  /**
   * Ends when Temporal serves, whose program is being downloaded or built meanwhile; null where nothing is fetched.
   * @throws Error that tells why Temporal does not start
   */
  temporalFetch: Promise<void> | null;
  /** Of the local chain's node; null where none runs. */
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
 * What is configured; an embedded Postgres and Temporal for what is not, and the sandbox's local chain, started side by side.
 * @throws StartupError that tells why one does not run
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
    databaseUrl: postgres.value.url,
    temporalAddress: temporal.value.address,
    temporalUi: temporal.value.ui,
    temporalFetch: temporal.value.fetch,
    chainUrl: chain.value.url,
  };
}

/** Embedded servers, by the stems of their state files, with their names. */
function embeddedParts(config: Config, role: Role): Map<string, string> {
  const parts = new Map<string, string>();
  if (config.databaseUrl === undefined) parts.set('postgres', 'Postgres');
  if (config.temporal.address === undefined) parts.set('temporal', 'Temporal');
  if (startsChain(config, role) && anvilExecutable() !== undefined) parts.set('chain', 'the local chain');
  return parts;
}

/** @throws StartupError where another process keeps a server of this folder, before any line says that it starts */
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

/** The same of Postgres alone. @returns its address */
export async function startDatabase(options: Options): Promise<string> {
  return (await keeper(options.stages)(postgresOf(options))).url;
}

/** One stage for all that is embedded, there from the beginning: what comes up while we stop is stopped, too. */
function keeper(stages: Stages) {
  const running: Part[] = [];
  let ending = false;
  stages.started('embedded servers', async () => {
    ending = true;
    await Promise.all(running.map(async (part) => part.stop?.()));
  });
  return async function keep<P extends Part>(starting: Promise<P>): Promise<P> {
    const part = await starting;
    if (!ending) {
      running.push(part);
      return part;
    }
    await part.stop?.();
    throw new StoppedWhileStarting();
  };
}

function failureOf(parts: PromiseSettledResult<unknown>[]): Error {
  const reasons = parts.flatMap((part) => (part.status === 'rejected' ? [part.reason as Error] : []));
  const stopped = reasons.find((reason) => reason instanceof StoppedWhileStarting);
  return stopped ?? new StartupError([...new Set(reasons.map((reason) => reason.message))].join('\n'));
}

async function postgresOf({ config, log }: Options): Promise<Part & { url: string }> {
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl };
  return startPostgres({ dataDir: config.dataDir, log });
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
  const environment = process.env; // PATH and proxies, for the tools that are looked for
  const cacheDir = defaultCacheDir(environment);
  let onFetch!: () => void;
  const isFetched = new Promise<undefined>((resolve) => (onFetch = () => resolve(undefined)));
  const executable = temporalExecutable({ environment, cacheDir, onProgress, onFetch });
  const found = await Promise.race([executable, isFetched]);
  if (found === undefined) {
    const ports = await choosePorts({ dataDir: config.dataDir, uiPort });
    return fetchedTemporal(options, executable, ports);
  }
  const server = await embeddedTemporal(options, found);
  return { address: server.address, ui: uiUrl ?? server.uiUrl, fetch: null, stop: () => server.stop() };
}

/** The rest of the product starts meanwhile, so the ports of the server are chosen before its program is here. */
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
  fetch.catch(() => undefined); // the product asks for it once it serves
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

/** It belongs to one process, as all that is embedded does. The package of its node is an optional one. */
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
