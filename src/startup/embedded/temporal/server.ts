import { resolve } from 'node:path';
import { Connection } from '@temporalio/client';
import { StartupError } from '../../../kernel/startup-error';
import { keepServer, type ServerKind, type ServerOptions, statePathOf } from '../kept-server';
import { freePort } from '../ports';
import { endProcess } from '../process-identity';
import { readState } from '../state-file';

const DEFAULT_PORT = 7233;
const DEFAULT_UI_PORT = 8233;

/**
 * With the write-ahead log a SIGKILL loses nothing, and several times as many workflows start per second. The log is
 * moved into the file every 32 MB instead of 4 MB, because the same pages change again and again.
 */
const PRAGMAS = ['journal_mode=wal', 'synchronous=1', 'wal_autocheckpoint=8000'];

const DYNAMIC_CONFIG: Record<string, string> = {
  // By default the task queue is polled 20 times a second, so every step of a workflow waits for a tick of 50 ms. The queue of timers
  // has such a limit too, but raising it gains nothing.
  'history.transferProcessorMaxPollRPS': '2000',
  // The lists of workflows are written twice a second, in larger batches. A workflow that ends sooner is written once instead of
  // twice. Each write is an eighth of Temporal's work for a short workflow.
  'history.visibilityProcessorMaxPollRPS': '2',
  'history.visibilityTaskBatchSize': '1000',
  // Partitions are for several servers. With four of them in one server, most tasks and polls take one more call within the server.
  'matching.numTaskqueueReadPartitions': '1',
  'matching.numTaskqueueWritePartitions': '1',
  // By default the development server reads the declared search attributes again for each call, a tenth of its work.
  // Cached, they are read once a minute.
  'system.forceSearchAttributesCacheRefreshOnRead': 'false',
};

/** Options of the Temporal CLI from `temporalExecutable`. Its database is `temporal.db` in DATA_DIR. */
export interface TemporalOptions extends ServerOptions {
  /** Registered before the server is ready, for instance `{ Tenant: 'Keyword' }`. */
  searchAttributes: Record<string, SearchAttributeKind>;
  namespace?: string;
  /** Wanted port, or another one when it is taken. Default: the port of the last run, else 7233. */
  port?: number;
  /**
   * Port of the UI. Must be free unless it is 0. Default: the port of the last run, else 8233, or another one when it
   * is taken.
   */
  uiPort?: number | undefined;
  /** Further dynamic configuration, values as JSON. */
  dynamicConfig?: Record<string, string>;
}

/** Numbers of temporal.api.enums.v1.IndexedValueType. */
const VALUE_TYPES = { Text: 1, Keyword: 2, Int: 3, Double: 4, Bool: 5, Datetime: 6, KeywordList: 7 } as const;

export type SearchAttributeKind = keyof typeof VALUE_TYPES;

export interface EmbeddedTemporal {
  /** host:port of the gRPC frontend, on 127.0.0.1. */
  address: string;
  uiUrl: string;
  /** Present process id of the server. */
  readonly pid: () => number;
  /** Ends the server. Its data stays on disk. */
  stop(): Promise<void>;
}

export interface Ports {
  port: number;
  uiPort: number;
}

/**
 * Starts a real Temporal server with its web UI on a database file in `dataDir`. Takes over a server that a killed
 * process left running, and restarts it if it dies.
 * @throws Error when the server does not start, or another process keeps it
 */
export async function startTemporal(options: TemporalOptions): Promise<EmbeddedTemporal> {
  const { ports, pid, stop } = await keepServer(kindOf(options), options);
  return { address: addressOf(ports), uiUrl: uiUrlOf(ports), pid, stop: () => stop() };
}

/**
 * Chooses the ports of a server that starts later, because its program is still being downloaded. Prefers the ports of
 * the last run.
 * @throws StartupError when the required port of the UI is taken
 */
export async function choosePorts({
  dataDir,
  uiPort,
}: Pick<TemporalOptions, 'dataDir' | 'uiPort'>): Promise<Ports> {
  const known = await readState<Partial<Ports>>(statePathOf(dataDir, 'temporal'));
  const wanted = { port: known?.port ?? DEFAULT_PORT, uiPort: uiPort ?? known?.uiPort ?? DEFAULT_UI_PORT };
  return freePorts(wanted, uiPort);
}

export const addressOf = ({ port }: Ports): string => `127.0.0.1:${port}`;

export const uiUrlOf = ({ uiPort }: Ports): string => `http://127.0.0.1:${uiPort}`;

function kindOf(options: TemporalOptions): ServerKind<Ports> {
  const { namespace = 'default' } = options;
  return {
    name: 'Temporal',
    file: 'temporal',
    readyMs: 60_000,
    end: (server) => endProcess(server, [['SIGTERM', 15_000]]),
    // Goroutines begin with a stack of the average size. Growing stacks was a sixteenth of the server's work.
    environment: { GOGC: '400', GODEBUG: 'adaptivestackstart=1' },
    args: argsOf(options, namespace),
    wantedPorts: ({ port = DEFAULT_PORT, uiPort = DEFAULT_UI_PORT }) => ({
      port: options.port ?? port,
      uiPort: options.uiPort ?? uiPort,
    }),
    freePorts: (wanted) => freePorts(wanted, options.uiPort),
    argsOfStart: async ({ port, uiPort }) => ['--port', String(port), '--ui-port', String(uiPort)],
    announcesByOutput: true,
    answers: (ports) => isUsable(ports, namespace),
    complete: (ports) => registerMissing(ports, namespace, options.searchAttributes),
  };
}

function argsOf({ dataDir, dynamicConfig, searchAttributes }: TemporalOptions, namespace: string): string[] {
  const flags = (flag: string, values: string[]) => values.flatMap((value) => [flag, value]);
  const pairs = (of: Record<string, string>) => Object.entries(of).map(([key, value]) => `${key}=${value}`);
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--namespace', namespace],
    ...['--db-filename', resolve(dataDir, 'temporal.db'), '--log-level', 'warn', '--log-format', 'json'],
    ...flags('--sqlite-pragma', PRAGMAS),
    ...flags('--dynamic-config-value', pairs({ ...DYNAMIC_CONFIG, ...dynamicConfig })),
    ...flags('--search-attribute', pairs(searchAttributes)),
  ];
}

async function freePorts(wanted: Ports, demanded: number | undefined): Promise<Ports> {
  const port = await freePort(wanted.port);
  const uiPort = await freePort(wanted.uiPort);
  if (demanded && uiPort !== demanded)
    throw new StartupError(
      `TEMPORAL_UI_PORT: another program listens on 127.0.0.1:${demanded}. Stop it, or choose another port: TEMPORAL_UI_PORT=${demanded + 1}`,
    );
  return { port, uiPort: uiPort === port ? await freePort() : uiPort };
}

/**
 * Registers attributes that were declared later, because the server registers them only in a new database. @returns
 * whether any was added
 */
async function registerMissing(
  ports: Ports,
  namespace: string,
  declared: TemporalOptions['searchAttributes'],
): Promise<boolean> {
  const connection = await Connection.connect({ address: addressOf(ports) });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = Object.entries(declared).filter(([name]) => !(name in customAttributes));
    if (missing.length === 0) return false;
    const searchAttributes = Object.fromEntries(missing.map(([name, kind]) => [name, VALUE_TYPES[kind]]));
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    return true;
  } finally {
    await connection.close();
  }
}

/** Whether the namespace can be used, which is later than an open port. */
async function isUsable(ports: Ports, namespace: string): Promise<boolean> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address: addressOf(ports), connectTimeout: 1_000 });
    await connection.withDeadline(Date.now() + 3_000, () =>
      connection!.workflowService.describeNamespace({ namespace }),
    );
    return true;
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}
