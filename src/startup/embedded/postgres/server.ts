import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { keepServer, type ServerOptions, statePathOf } from '../kept-server';
import { freePort } from '../ports';
import { endProcess, type ProcessIdentity, stillRuns } from '../process-identity';
import { readState } from '../state-file';
import { archiveSettings } from './archive';
import { findPostgresBinaries, serverAccount } from './binaries';
import {
  type Access,
  answers,
  connectionUrl,
  ensureDatabase,
  isPasswordRefused,
  runtimeUrl,
} from './connection';
import { ENVIRONMENT, type Installation, initialise, isInitialised, serverOn, spawnAccount } from './data';

const FILE = 'postgres';

/** Fast, clean shutdown, which rolls back and writes a checkpoint. Then immediate: the next start recovers. */
const END_STEPS = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
] as const;

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

/** In DATA_DIR are `postgres/` (the data), `postgres.json` (port, password, process; 0600) and `postgres.log`. */
export interface PostgresOptions extends Omit<ServerOptions, 'executable'> {
  /** Further server settings, named as in postgresql.conf. */
  settings?: Record<string, string>;
  /** Folder to archive the WAL to. Absent: none is archived. */
  walFolder?: string | undefined;
}

export interface EmbeddedPostgres {
  /** A superuser's URL of a UTF-8 database with the C.UTF-8 collation, on 127.0.0.1. */
  url: string;
  /** URL of the runtime role, which {@link giveRights} of `kernel/db/roles` creates. */
  runtimeUrl: string;
  /** Present process id of the server. */
  readonly pid: () => number;
  /** Clean, fast shutdown. */
  stop(): Promise<void>;
}

/**
 * Starts a real Postgres on `dataDir`. Takes over a server that a killed process left running, and restarts it if it
 * dies.
 * @throws Error that says what to do, when Postgres cannot run on this machine or another process keeps it
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const install = await installationIn(dataDir);
  const { pgdata, account, binaries } = install;
  const statePath = statePathOf(dataDir, FILE);
  await assertPassword(statePath, pgdata);
  const servingPath = join(pgdata, 'serving.pid');
  const archive = await archiveSettings(options.walFolder, account);
  const settings = { ...SETTINGS, ...options.settings, ...archive, ...FIXED, external_pid_file: servingPath };
  const settingArgs = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const [executable, ...args] = [...account.prefix, binaries.postgres, '-D', pgdata, ...settingArgs];
  const { ports, pid, stop } = await keepServer<Access>(
    {
      name: 'Postgres',
      file: FILE,
      // Recovery after a crash replays the log first, so this allows for a slow disk.
      readyMs: 60_000,
      end: (server) => end(install, server),
      environment: ENVIRONMENT,
      account: spawnAccount(account),
      servingPath,
      args,
      wantedPorts: ({ port = 0, password = randomBytes(24).toString('hex') }) => ({ port, password }),
      freePorts: async ({ port, password }) => ({ port: await freePort(port), password }),
      argsOfStart: async ({ port }) => ['-p', String(port)],
      answers,
      find: () => serverOn(pgdata),
      prepare: async ({ password }) => {
        if (!isInitialised(pgdata)) await initialise(install, password);
      },
      complete: (access) => complete(access, pgdata, statePath),
    },
    { dataDir, executable: executable!, log: options.log },
  );
  const url = connectionUrl(ports, DATABASE);
  return { url, runtimeUrl: runtimeUrl(url), pid, stop: () => stop() };
}

async function installationIn(dataDir: string): Promise<Installation> {
  const pgdata = join(dataDir, 'postgres');
  const binaries = await findPostgresBinaries();
  await mkdir(dataDir, { recursive: true });
  return { pgdata, binaries, account: await serverAccount(binaries, pgdata) };
}

async function assertPassword(statePath: string, pgdata: string): Promise<void> {
  if (!isInitialised(pgdata) || (await readState(statePath))) return;
  throw new Error(
    `${statePath} is missing, and with it the password of the data beside it. Restore it, or remove ` +
      `${pgdata} to start anew (all data is lost).`,
  );
}

async function complete(access: Access, pgdata: string, statePath: string): Promise<boolean> {
  try {
    await ensureDatabase(access, DATABASE);
    return false;
  } catch (error) {
    if (!isPasswordRefused(error as { code?: string })) throw error;
    throw new Error(
      `Postgres in ${pgdata} refuses the password in ${statePath}. Restore that file, or remove both to start ` +
        'anew (all data is lost).',
    );
  }
}

/** A signal of Windows would kill the server. */
async function end({ binaries, pgdata }: Installation, server: ProcessIdentity): Promise<void> {
  if (process.platform !== 'win32') return endProcess(server, END_STEPS);
  if (await stillRuns(server))
    await promisify(execFile)(binaries.pgCtl, ['stop', '-D', pgdata, '-m', 'fast', '-w']);
}
