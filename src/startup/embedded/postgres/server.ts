import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { EmbeddedLog } from '../log-file';
import { type ProcessIdentity, stillRuns } from '../process-identity';
import { ownIdentity, readState, refuseOtherKeeper, writeState } from '../state-file';
import { supervise } from '../supervise';
import { findPostgresBinaries, serverAccount } from './binaries';
import {
  connectionUrl,
  ensureDatabase,
  type Installation,
  initialise,
  isInitialised,
  launch,
  shutDown,
  takeOver,
} from './process';

/** The database that {@link startPostgres} opens. */
export const DATABASE = 'cardwright';

const SETTINGS: Record<string, string> = {
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
};

/**
 * Durability settings, because a committed movement of money must survive a power cut. Applied last, so that no caller
 * can weaken them.
 */
const FIXED: Record<string, string> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
};

export interface PostgresOptions {
  /** DATA_DIR. Holds `postgres/` (the data), `postgres.json` (port, password; 0600) and `postgres.log`. */
  dataDir: string;
  log: EmbeddedLog;
  /** Further server settings, named as in postgresql.conf. */
  settings?: Record<string, string>;
}

export interface EmbeddedPostgres {
  /** A superuser's URL of a UTF-8 database with the C.UTF-8 collation, on 127.0.0.1. */
  url: string;
  /** Present process id of the server. */
  readonly pid: () => number;
  /** Clean, fast shutdown. */
  stop(): Promise<void>;
}

interface State {
  port: number;
  password: string;
  /** Settings of the running server. Other settings require a restart. */
  settings: Record<string, string>;
  /** The process that started or took over the server, while it runs. */
  keeper?: ProcessIdentity;
}

/**
 * Starts a real Postgres on `dataDir`. Takes over a server that a killed process left running, and restarts it if it
 * dies.
 * @throws Error that says what to do, when Postgres cannot run on this machine or another process keeps it
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = options;
  const install = await installation(options);
  const statePath = join(install.dataDir, 'postgres.json');
  const state = await claim(install, statePath);
  const sameSettings = JSON.stringify(state.settings) === JSON.stringify(install.settings);
  state.settings = install.settings;
  const leftBehind = await takeOver(install, state, sameSettings);
  if (leftBehind) log.info('Postgres was still running and is taken over');
  let server = leftBehind ?? (await launch(install, state, true));
  await writeState(statePath, state);
  await ensureDatabase(state, DATABASE);
  const restart = async () => {
    server = (await takeOver(install, state, true)) ?? (await launch(install, state, false));
  };
  const watch = supervise('Postgres', { lives: () => stillRuns(server), restart }, log);
  return {
    url: connectionUrl(state, DATABASE),
    pid: () => server.pid,
    stop: async () => {
      await watch.end();
      await shutDown(install, server);
      await writeState(statePath, { ...state, keeper: undefined });
    },
  };
}

async function installation(options: PostgresOptions): Promise<Installation> {
  const dataDir = resolve(options.dataDir);
  const pgdata = join(dataDir, 'postgres');
  const binaries = await findPostgresBinaries();
  await mkdir(dataDir, { recursive: true });
  const account = await serverAccount(binaries, pgdata);
  const settings = { ...SETTINGS, ...options.settings, ...FIXED };
  return { dataDir, pgdata, logPath: join(dataDir, 'postgres.log'), binaries, account, settings };
}

/** Registers this process as the keeper of the data folder, and initialises the data if there are none. */
async function claim(install: Installation, statePath: string): Promise<State> {
  const known = await readState<State>(statePath);
  await refuseOtherKeeper(known?.keeper, install.dataDir);
  if (!known && isInitialised(install)) {
    throw new Error(
      `${statePath} is missing, and with it the password of the data beside it. Restore it, or remove ` +
        `${install.pgdata} to start anew (all data is lost).`,
    );
  }
  const password = known?.password ?? randomBytes(24).toString('hex');
  const state: State = { port: 0, settings: {}, ...known, password, keeper: await ownIdentity() };
  await writeState(statePath, state);
  await chmod(statePath, 0o600);
  if (!isInitialised(install)) {
    await initialise(install, password);
  }
  return state;
}
