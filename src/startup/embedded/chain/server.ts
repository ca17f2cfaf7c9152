import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { keepServer, type ServerKind, type ServerOptions, statePathOf } from '../kept-server';
import type { EmbeddedLog } from '../log-file';
import { freePort } from '../ports';
import { readState } from '../state-file';
import { keepBlocks } from './blocks';
import { rpc } from './rpc';

export const LOCAL_CHAIN_ID = 31_337;
const DEFAULT_PORT = 8545;
const FILE = 'chain';

/** A block for each transaction, at once; those that follow are mined by us. No page of a browser may speak to it. */
const ARGS = [
  ...['--host', '127.0.0.1', '--chain-id', String(LOCAL_CHAIN_ID), '--no-cors'],
  ...['--quiet', '--prune-history', '128'],
  // As Ethereum does (EIP-7825), so that what works here works there.
  '--enable-tx-gas-limit',
];

export interface EmbeddedChain {
  /** Of its node, on 127.0.0.1. */
  url: string;
  /** Process id of the node now. */
  readonly pid: () => number;
  /** Ends the node; its chain is on disk. */
  stop(): Promise<void>;
}

interface Ports {
  port: number;
}

/** Where the local chain of a data folder is, or was. @returns nothing where there was none */
export async function localChainUrl(dataDir: string): Promise<string | undefined> {
  const ports = await readState<Ports>(statePathOf(dataDir, FILE));
  return ports && urlOf(ports);
}

/**
 * Starts a real EVM node (anvil, from `anvilExecutable`) on the chain that is kept in `chain-state.gz` of `dataDir`, or takes over the
 * one that a killed process left running there, and starts it again should it die: then what came in the last second or so may be lost,
 * as in a reorganisation.
 * @throws Error when it does not start, or another process keeps it
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

/** @param unpacked where the node is to read what is kept */
const kindOf = (log: EmbeddedLog, kept: string, unpacked: string): ServerKind<Ports> => ({
  ...{ name: 'the local chain', file: FILE, readyMs: 30_000, endMs: 5_000, args: ARGS },
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

/** The chain that is kept, as an argument of the node. One that cannot be read is set aside: a new one begins. */
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
