import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { becomesReady, hasAnnounced, spawnDetached } from '../detached';
import { type EmbeddedLog, lastLines, type OnProgress } from '../log-file';
import { freePort } from '../ports';
import { endProcess, type ProcessIdentity, stillRuns } from '../process-identity';
import { ownIdentity, readState, refuseOtherKeeper, writeState } from '../state-file';
import { supervise } from '../supervise';
import { keepBlocks } from './blocks';
import { rpc } from './rpc';

export const LOCAL_CHAIN_ID = 31_337;
const DEFAULT_PORT = 8545;
const START_ATTEMPTS = 3;
const READY_MS = 30_000;
const STOP_STEPS = [
  ['SIGTERM', 5_000],
  ['SIGKILL', 5_000],
] as const;

/** A block for each transaction, at once; those that follow are mined by us. No page of a browser may speak to it. */
const ARGS = [
  ...['--host', '127.0.0.1', '--chain-id', String(LOCAL_CHAIN_ID), '--no-cors'],
  ...['--quiet', '--prune-history', '128'],
];

export interface ChainOptions {
  /** DATA_DIR: holds `chain.json` (port, process), `chain-state.gz` (the chain), `chain.log` and `chain-node.json` (of anvil). */
  dataDir: string;
  /** Anvil, from `anvilExecutable`. */
  executable: string;
  log: EmbeddedLog;
  onProgress?: OnProgress;
}

export interface EmbeddedChain {
  /** Of its node, on 127.0.0.1. */
  url: string;
  /** Process id of the node now. */
  readonly pid: () => number;
  /** Ends the node; its chain is on disk. */
  stop(): Promise<void>;
}

interface State {
  port: number;
  server?: ProcessIdentity;
  /** What the running node was started with, without its port and its chain. */
  args?: string[];
  keeper?: ProcessIdentity;
}

interface Setup extends ChainOptions {
  statePath: string;
  /** Of the chain, compressed. */
  keptPath: string;
  /** The same as the node reads it. */
  loadedPath: string;
  logPath: string;
  /** What the node began with: it writes that once it has its port. */
  announcedAt: string;
}

/** Where the local chain of a data folder is, or was. @returns nothing where there was none */
export async function localChainUrl(dataDir: string): Promise<string | undefined> {
  const state = await readState<State>(join(resolve(dataDir), 'chain.json'));
  return state && urlOf(state);
}

/**
 * Starts a real EVM node on the chain that is kept in `dataDir`, or takes over the one that a killed process left running there,
 * and starts it again should it die: then what came in the last second or so may be lost, as in a reorganisation.
 * @throws Error when it does not start, or another process keeps it
 */
export async function startChain(options: ChainOptions): Promise<EmbeddedChain> {
  const setup = await prepare(options);
  const state = await claim(setup);
  const leftBehind = await takeOver(setup, state);
  if (leftBehind) options.log.info('The local chain was still running and is taken over');
  else options.onProgress?.('Starting the local chain');
  let server = leftBehind ?? (await launch(setup, state, true));
  const restart = async () => {
    server = await launch(setup, state, false);
  };
  const watch = supervise('The local chain', { lives: () => stillRuns(server), restart }, options.log);
  const blocks = keepBlocks(() => urlOf(state), setup.keptPath);
  return {
    url: urlOf(state),
    pid: () => server.pid,
    stop: async () => {
      await watch.end();
      await blocks.end();
      await endProcess(server, STOP_STEPS);
      await writeState(setup.statePath, { port: state.port });
    },
  };
}

async function prepare(options: ChainOptions): Promise<Setup> {
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  const file = (name: string) => join(dataDir, name);
  return {
    ...{ ...options, dataDir, statePath: file('chain.json'), logPath: file('chain.log') },
    announcedAt: file('chain-node.json'),
    ...{ keptPath: file('chain-state.gz'), loadedPath: file('chain-state.json') },
  };
}

async function claim({ statePath, dataDir }: Setup): Promise<State> {
  const known = await readState<State>(statePath);
  await refuseOtherKeeper(known?.keeper, dataDir);
  const state: State = { ...known, port: known?.port ?? DEFAULT_PORT, keeper: await ownIdentity() };
  await writeState(statePath, state);
  return state;
}

/** The node of the last run as it is when it answers and was started as we would; else it is ended. */
async function takeOver(setup: Setup, state: State): Promise<ProcessIdentity | undefined> {
  const { server } = state;
  if (!server || !(await stillRuns(server))) return undefined;
  if (JSON.stringify(state.args) === JSON.stringify(ARGS) && (await isServing(setup, state))) return server;
  await endProcess(server, STOP_STEPS);
  return undefined;
}

/** @param mayMove whether another port may be taken when the known one is busy (`state` then changes) */
async function launch(setup: Setup, state: State, mayMove: boolean): Promise<ProcessIdentity> {
  const loaded = await unpack(setup);
  for (let attempt = 1; ; attempt += 1) {
    if (mayMove) state.port = await freePort(state.port);
    const server = await spawnServer(setup, state, loaded);
    if (await becomesReady(server, () => isServing(setup, state), READY_MS)) {
      await rm(setup.loadedPath, { force: true });
      return server;
    }
    await endProcess(server, STOP_STEPS);
    if (attempt === START_ATTEMPTS)
      throw new Error(`The local chain does not start:\n${await lastLines(setup.logPath)}`);
  }
}

/** Written down at once, so that it is found whenever we are killed. */
async function spawnServer(setup: Setup, state: State, loaded: string[]): Promise<ProcessIdentity> {
  const { executable, dataDir, logPath, announcedAt, statePath } = setup;
  const args = [...ARGS, ...loaded, '--port', String(state.port), '--config-out', announcedAt];
  const server = await spawnDetached({ executable, args, dataDir, logPath, announcedAt });
  Object.assign(state, { server, args: ARGS });
  await writeState(statePath, state);
  return server;
}

/** The chain that is kept, as an argument of the node. One that cannot be read is set aside: a new one begins. */
async function unpack({ keptPath, loadedPath, log }: Setup): Promise<string[]> {
  const kept = await readFile(keptPath).catch(() => undefined);
  if (!kept) return [];
  try {
    await writeFile(loadedPath, await promisify(gunzip)(kept), { mode: 0o600 });
    return ['--load-state', loadedPath];
  } catch (error) {
    log.warn(`${keptPath} cannot be read (${(error as Error).message}); it is set aside, a new chain begins`);
    await rename(keptPath, `${keptPath}.unreadable`);
    return [];
  }
}

const urlOf = ({ port }: State): string => `http://127.0.0.1:${port}`;

async function isServing({ announcedAt }: Setup, state: State): Promise<boolean> {
  if (!(await hasAnnounced(announcedAt))) return false;
  return rpc<string>(urlOf(state), 'eth_chainId').then(
    (id) => Number(id) === LOCAL_CHAIN_ID,
    () => false,
  );
}
