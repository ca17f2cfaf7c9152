import type { Config } from '../kernel/config';
import { StartupError } from '../kernel/startup-error';
import { DECLARED_SEARCH_ATTRIBUTES } from '../kernel/temporal/search-attributes';
import type { EmbeddedLog, OnProgress } from './embedded/log-file';
import { startPostgres } from './embedded/postgres';
import { startTemporal } from './embedded/temporal';
import { temporalExecutable } from './embedded/temporal-binary';
import { defaultCacheDir } from './embedded/tool-cache';
import { type Stages, StoppedWhileStarting } from './stages';

/** Where Postgres and Temporal are. */
export interface Infrastructure {
  databaseUrl: string;
  temporalAddress: string;
  temporalUi: string | null;
}

interface Options {
  config: Config;
  log: EmbeddedLog;
  onProgress: OnProgress;
  stages: Stages;
}

interface Part {
  stop?: () => Promise<void>;
}

/**
 * What is configured; an embedded Postgres and Temporal for what is not, started side by side.
 * @throws StartupError that tells why either does not run
 */
export async function startInfrastructure(options: Options): Promise<Infrastructure> {
  const keep = keeper(options.stages);
  const [postgres, temporal] = await Promise.allSettled([
    keep(postgresOf(options)),
    keep(temporalOf(options)),
  ]);
  if (postgres.status === 'rejected' || temporal.status === 'rejected') throw failureOf([postgres, temporal]);
  return {
    databaseUrl: postgres.value.url,
    temporalAddress: temporal.value.address,
    temporalUi: temporal.value.ui,
  };
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

async function postgresOf({ config, log, onProgress }: Options): Promise<Part & { url: string }> {
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl };
  return startPostgres({ dataDir: config.dataDir, log, onProgress });
}

async function temporalOf(options: Options): Promise<Part & { address: string; ui: string | null }> {
  const { config, log, onProgress } = options;
  const { address, namespace, uiUrl, uiPort } = config.temporal;
  if (address !== undefined) return { address, ui: uiUrl ?? null };
  const environment = process.env; // PATH and proxies, for the tools that are looked for
  const cacheDir = defaultCacheDir(environment);
  const server = await startTemporal({
    dataDir: config.dataDir,
    executable: await temporalExecutable({ environment, cacheDir, onProgress }),
    searchAttributes: DECLARED_SEARCH_ATTRIBUTES,
    namespace,
    log,
    onProgress,
    ...(uiPort === undefined ? {} : { uiPort }),
  });
  return { address: server.address, ui: uiUrl ?? server.uiUrl, stop: () => server.stop() };
}
