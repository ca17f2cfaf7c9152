import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { keepServer, type ServerKind, type ServerOptions, statePathOf } from '../kept-server';
import type { EmbeddedLog } from '../log-file';
import { freePort } from '../ports';
import { endProcess } from '../process-identity';
import { readState } from '../state-file';
import { keepBlocks } from './blocks';
import { rpc } from './rpc';

export const LOCAL_CHAIN_ID = 31_337;
const DEFAULT_PORT = 8545;
const FILE = 'chain';

/**
 * One block per transaction, at once. {@link keepBlocks} mines the others. Pages in a browser must not reach the node.
 */
const ARGS = [
  ...['--host', '127.0.0.1', '--chain-id', String(LOCAL_CHAIN_ID), '--no-cors'],
  ...['--quiet', '--prune-history', '128'],
  // As on Ethereum (EIP-7825), so that transactions which work here work there.
  '--enable-tx-gas-limit',
];

export interface EmbeddedChain {
  /** Address of the node, on 127.0.0.1. */
  url: string;
  /** Present process id of the node. */
  readonly pid: () => number;
  /** Ends the node. The chain stays on disk. */
  stop(): Promise<void>;
}

interface Ports {
  port: number;
}

/** Address of the local chain of a data folder. @returns undefined when the folder never had one */
export async function localChainUrl(dataDir: string): Promise<string | undefined> {
  const ports = await readState<Ports>(statePathOf(dataDir, FILE));
  return ports && urlOf(ports);
}

/**
 * Starts a real EVM node (anvil, from `anvilExecutable`) on the chain in `chain-state.gz` of `dataDir`. Takes over a
 * node that a killed process left running. Restarts the node if it dies; transactions of about the last second may then
 * be lost, as in a reorganisation.
 * @throws Error when the node does not start, or another process keeps it
 */
export async function startChain(options: ServerOptions): Promise<EmbeddedChain> {
  const kept = resolve(options.dataDir, 'chain-state.gz');
  const server = await keepServer(
    kindOf(options.log, kept, resolve(options.dataDir, 'chain-state.json')),
    options,
  );
  const url = urlOf(server.ports);
  const blocks = keepBlocks(() => url, kept);
  return { url, pid: server.pid, stop: () => server.stop(() => blocks.end()) };
}

/** @param unpacked path from which the node reads the saved chain */
const kindOf = (log: EmbeddedLog, kept: string, unpacked: string): ServerKind<Ports> => ({
  name: 'the local chain',
  file: FILE,
  readyMs: 30_000,
  end: (server) => endProcess(server, [['SIGTERM', 5_000]]),
  args: ARGS,
  wantedPorts: ({ port = DEFAULT_PORT }) => ({ port }),
  freePorts: async ({ port }) => ({ port: await freePort(port) }),
  argsOfStart: async ({ port }, servingPath) => [
    ...(await loading(log, kept, unpacked)),
    ...['--port', String(port), '--config-out', servingPath],
  ],
  answers: (ports) =>
    rpc<string>(urlOf(ports), 'eth_chainId').then(
      (id) => Number(id) === LOCAL_CHAIN_ID,
      () => false,
    ),
  async complete() {
    await rm(unpacked, { force: true });
    return false;
  },
});

/** Node argument that loads the saved chain. An unreadable file is set aside, and a new chain begins. */
async function loading(log: EmbeddedLog, kept: string, unpacked: string): Promise<string[]> {
  const compressed = await readFile(kept).catch(() => undefined);
  if (!compressed) return [];
  try {
    await writeFile(unpacked, await promisify(gunzip)(compressed), { mode: 0o600 });
    return ['--load-state', unpacked];
  } catch (error) {
    log.warn(`${kept} cannot be read (${(error as Error).message}); it is set aside, a new chain begins`);
    await rename(kept, `${kept}.unreadable`);
    return [];
  }
}

const urlOf = ({ port }: Ports): string => `http://127.0.0.1:${port}`;
