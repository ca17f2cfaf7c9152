import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Connection } from '@temporalio/client';
import { becomesReady, hasAnnounced, spawnDetached } from './detached';
import { type EmbeddedLog, lastLines, type OnProgress } from './log-file';
import { freePort } from './ports';
import { endProcess, type ProcessIdentity, stillRuns } from './process-identity';
import { ownIdentity, readState, refuseOtherKeeper, writeState } from './state-file';
import { supervise } from './supervise';

const DEFAULT_PORT = 7233;
const DEFAULT_UI_PORT = 8233;
const START_ATTEMPTS = 3;
const READY_MS = 60_000;
const STOP_STEPS = [
  ['SIGTERM', 15_000],
  ['SIGKILL', 5_000],
] as const;

/** With the write-ahead log a SIGKILL loses nothing, and several times as many workflows start a second. */
const PRAGMAS = ['journal_mode=wal', 'synchronous=1'];

/**
 * By default the queue of tasks is looked at 20 times a second, and every step of a workflow waits for a
 * tick of 50 ms. The queues of timers and of visibility have such a limit too; raising it gains nothing.
 */
const DYNAMIC_CONFIG: Record<string, string> = {
  'history.transferProcessorMaxPollRPS': '2000',
  // The development server reads the declared search attributes anew for each call that has one, a tenth of its work; kept,
  // they are read once a minute.
  'system.forceSearchAttributesCacheRefreshOnRead': 'false',
};

export interface TemporalOptions {
  /** DATA_DIR: holds `temporal.db`, `temporal.json` (ports, process), `temporal.log` and `temporal.out` (what it says when it serves). */
  dataDir: string;
  /** The Temporal CLI, from `temporalExecutable`. */
  executable: string;
  /** Registered before the server is ready, for instance `{ Tenant: 'Keyword' }`. */
  searchAttributes: Record<string, SearchAttributeKind>;
  log: EmbeddedLog;
  onProgress?: OnProgress;
  namespace?: string;
  /** Wanted ports; another is taken when one is busy. Default: those of the last run, else 7233 and 8233. */
  port?: number;
  uiPort?: number;
  /** Further dynamic configuration, values as JSON. */
  dynamicConfig?: Record<string, string>;
}

/** The numbers of temporal.api.enums.v1.IndexedValueType. */
const VALUE_TYPES = { Text: 1, Keyword: 2, Int: 3, Double: 4, Bool: 5, Datetime: 6, KeywordList: 7 } as const;

export type SearchAttributeKind = keyof typeof VALUE_TYPES;

export interface EmbeddedTemporal {
  /** host:port of the gRPC front end, on 127.0.0.1. */
  address: string;
  uiUrl: string;
  /** Process id of the server now. */
  readonly pid: () => number;
  /** Ends the server; what it holds is on disk. */
  stop(): Promise<void>;
}

interface State {
  port: number;
  uiPort: number;
  server?: ProcessIdentity;
  /** What the running server was started with, without its ports. */
  args?: string[];
  keeper?: ProcessIdentity;
}

interface Setup {
  options: TemporalOptions;
  dataDir: string;
  statePath: string;
  logPath: string;
  announcedAt: string;
  namespace: string;
  args: string[];
}

/**
 * Starts a real Temporal server with its web UI on a database file in `dataDir`, or takes over the one
 * that a killed process left running there, and starts it again should it die.
 * @throws Error when it does not start, or another process keeps it
 */
export async function startTemporal(options: TemporalOptions): Promise<EmbeddedTemporal> {
  const setup = await prepare(options);
  const state = await claim(setup);
  const leftBehind = await takeOver(setup, state);
  if (leftBehind) options.log.info('Temporal was still running and is taken over');
  else options.onProgress?.('Starting Temporal');
  let server = leftBehind ?? (await launch(setup, state, true));
  if (await registerMissing(setup, state)) {
    await endProcess(server, STOP_STEPS); // it would refuse them for a minute
    server = await launch(setup, state, false);
  }
  const restart = async () => {
    server = await launch(setup, state, false);
  };
  const watch = supervise('Temporal', { lives: () => stillRuns(server), restart }, options.log);
  return {
    address: addressOf(state),
    uiUrl: `http://127.0.0.1:${state.uiPort}`,
    pid: () => server.pid,
    stop: async () => {
      await watch.end();
      await endProcess(server, STOP_STEPS);
      await writeState(setup.statePath, { port: state.port, uiPort: state.uiPort });
    },
  };
}

async function prepare(options: TemporalOptions): Promise<Setup> {
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  const namespace = options.namespace ?? 'default';
  const flags = (flag: string, values: string[]) => values.flatMap((value) => [flag, value]);
  const pairs = (of: Record<string, string>) => Object.entries(of).map(([key, value]) => `${key}=${value}`);
  const args = [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--namespace', namespace],
    ...['--db-filename', join(dataDir, 'temporal.db'), '--log-level', 'warn', '--log-format', 'json'],
    ...flags('--sqlite-pragma', PRAGMAS),
    ...flags('--dynamic-config-value', pairs({ ...DYNAMIC_CONFIG, ...options.dynamicConfig })),
    ...flags('--search-attribute', pairs(options.searchAttributes)),
  ];
  const file = (name: string) => join(dataDir, name);
  const paths = { statePath: file('temporal.json'), logPath: file('temporal.log') };
  return { options, dataDir, ...paths, announcedAt: file('temporal.out'), namespace, args };
}

async function claim(setup: Setup): Promise<State> {
  const known = await readState<State>(setup.statePath);
  await refuseOtherKeeper(known?.keeper, setup.dataDir);
  const { port, uiPort } = setup.options;
  const state: State = {
    ...known,
    port: port ?? known?.port ?? DEFAULT_PORT,
    uiPort: uiPort ?? known?.uiPort ?? DEFAULT_UI_PORT,
    keeper: await ownIdentity(),
  };
  await writeState(setup.statePath, state);
  return state;
}

/** The server of the last run as it is when it answers and was started as we would; else it is ended. */
async function takeOver(setup: Setup, state: State): Promise<ProcessIdentity | undefined> {
  const { server } = state;
  if (!server || !(await stillRuns(server))) return undefined;
  const asWanted = JSON.stringify(state.args) === JSON.stringify(setup.args);
  if (asWanted && (await isServing(setup, state))) return server;
  await endProcess(server, STOP_STEPS);
  return undefined;
}

/** @param mayMove whether other ports may be taken when the known ones are busy (`state` then changes) */
async function launch(setup: Setup, state: State, mayMove: boolean): Promise<ProcessIdentity> {
  for (let attempt = 1; ; attempt += 1) {
    if (mayMove) await choosePorts(state);
    const server = await spawnServer(setup, state);
    if (await becomesReady(server, () => isServing(setup, state), READY_MS)) return server;
    await endProcess(server, STOP_STEPS);
    if (attempt === START_ATTEMPTS) {
      throw new Error(`Temporal does not start:\n${await lastLines(setup.logPath)}`);
    }
  }
}

async function choosePorts(state: State): Promise<void> {
  state.port = await freePort(state.port);
  const uiPort = await freePort(state.uiPort);
  state.uiPort = uiPort === state.port ? await freePort() : uiPort;
}

/** Written down at once, so that it is found whenever we are killed. */
async function spawnServer(setup: Setup, state: State): Promise<ProcessIdentity> {
  const ports = ['--port', String(state.port), '--ui-port', String(state.uiPort)];
  const server = await spawnDetached({
    executable: setup.options.executable,
    args: [...setup.args, ...ports],
    ...{ dataDir: setup.dataDir, logPath: setup.logPath, environment: { GOGC: '400' } },
    ...{ announcedAt: setup.announcedAt, announcesByOutput: true },
  });
  Object.assign(state, { server, args: setup.args });
  await writeState(setup.statePath, state);
  return server;
}

/** The server registers search attributes in a new database only; one declared later is added here. @returns whether any was */
async function registerMissing(setup: Setup, state: State): Promise<boolean> {
  const { namespace, options } = setup;
  const connection = await Connection.connect({ address: addressOf(state) });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = Object.entries(options.searchAttributes).filter(([name]) => !(name in customAttributes));
    if (missing.length === 0) return false;
    const searchAttributes = Object.fromEntries(missing.map(([name, kind]) => [name, VALUE_TYPES[kind]]));
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    return true;
  } finally {
    await connection.close();
  }
}

/** Ready means that the namespace can be used, not merely that the port is open. */
async function isServing({ announcedAt, namespace }: Setup, state: State): Promise<boolean> {
  if (!(await hasAnnounced(announcedAt))) return false;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address: addressOf(state), connectTimeout: 1_000 });
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

function addressOf(state: State): string {
  return `127.0.0.1:${state.port}`;
}
