import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { lastLines, openLogFile } from '../log-file';
import { freePort } from '../ports';
import { commandLine, endProcess, identify, type ProcessIdentity, stillRuns } from '../process-identity';
import type { PostgresBinaries, ServerAccount } from './binaries';

/** A Postgres server as a process: initialise its data, start it, find it again, stop it. */

const run = promisify(execFile);

const USER = 'cardwright';
const START_ATTEMPTS = 5;
/** Recovery after a crash replays the log first, so this allows for a slow disk. */
const READY_MS = 60_000;
/** Fast shutdown, then immediate (which recovers at the next start), then kill. */
const STOP_STEPS = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const;

export interface Installation {
  dataDir: string;
  pgdata: string;
  logPath: string;
  binaries: PostgresBinaries;
  account: ServerAccount;
  settings: Record<string, string>;
}

/** Port and password of the server, kept between runs. */
export interface Access {
  port: number;
  password: string;
}

export function connectionUrl(access: Access, database: string): string {
  return `postgres://${USER}:${access.password}@127.0.0.1:${access.port}/${database}`;
}

/**
 * Creates the data folder under a temporary name first, so that an interrupted first start leaves no partial data.
 * C.UTF-8 is built into Postgres 17 and later, so every machine sorts alike.
 */
export async function initialise(install: Installation, password: string): Promise<void> {
  const fresh = `${install.pgdata}.new`;
  const passwordFile = `${install.pgdata}.password`;
  const { uid, gid } = install.account.owner ?? {};
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) {
    await Promise.all([chown(fresh, uid, gid), chown(passwordFile, uid, gid)]);
  }
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--auth=scram-sha-256', `--username=${USER}`, `--pwfile=${passwordFile}`];
  const [file, ...args] = [...install.account.prefix, install.binaries.initdb, `--pgdata=${fresh}`];
  try {
    await run(file, [...args, ...locale, ...access], spawnOptions(install));
    await rename(fresh, install.pgdata);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(
      `Postgres could not make its data folder ${install.pgdata}: ${stderr?.trim() || message}`,
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/**
 * Starts the server and waits until it answers.
 * @param mayMove whether another port may be chosen when the known one is taken (then `access.port` changes)
 * @throws Error with the end of the server's log
 */
export async function launch(
  install: Installation,
  access: Access,
  mayMove: boolean,
): Promise<ProcessIdentity> {
  for (let attempt = 1; ; attempt += 1) {
    if (mayMove) access.port = await freePort(access.port);
    const server = await spawnServer(install, access.port);
    if (server && (await answers(server, access, install))) return server;
    // The port was taken meanwhile, or processes of a killed server still hold its shared memory.
    if (attempt === START_ATTEMPTS) {
      throw new Error(`Postgres does not start:\n${await lastLines(install.logPath)}`);
    }
    await sleep(300 * attempt);
  }
}

/**
 * The server that already runs on this data folder, if it accepts our password and has the same settings. Otherwise it
 * is stopped.
 */
export async function takeOver(
  install: Installation,
  access: Access,
  sameSettings: boolean,
): Promise<ProcessIdentity | undefined> {
  const { pid, port } = await ownWord(install);
  const server = pid ? await identify(pid) : undefined;
  if (!server) return undefined;
  if (process.platform !== 'win32' && !/postgres/.test(await commandLine(server.pid))) {
    // Another program has that process id now (a restarted container). Postgres itself would refuse to start.
    await rm(pidFile(install), { force: true });
    return undefined;
  }
  const running = { port: port ?? 0, password: access.password };
  if (sameSettings && port && (await canConnect(running)) === 'yes') {
    access.port = port;
    return server;
  }
  await shutDown(install, server);
  return undefined;
}

const pidFile = ({ pgdata }: Installation): string => join(pgdata, 'postmaster.pid');

/** The server's own pid file by lines (miscinit.h of Postgres). */
async function ownWord(install: Installation): Promise<{ pid?: number; port?: number; serves: boolean }> {
  const lines = (await readFile(pidFile(install), 'utf8').catch(() => '')).split('\n');
  const [pid, port] = [lines[0], lines[3]].map((line) => (line ? Number(line) : undefined));
  return { ...(pid && { pid }), ...(port && { port }), serves: lines[7]?.trim() === 'ready' };
}

/** Fast, clean shutdown: rolls back open transactions, closes connections, writes a checkpoint. */
export async function shutDown(install: Installation, server: ProcessIdentity): Promise<void> {
  if (!(await stillRuns(server))) return;
  if (process.platform !== 'win32') return endProcess(server, STOP_STEPS);
  await run(install.binaries.pgCtl, ['stop', '-D', install.pgdata, '-m', 'fast', '-w']);
}

/** Creates a database unless it exists. */
export async function ensureDatabase(access: Access, name: string): Promise<void> {
  const client = new Client({ connectionString: connectionUrl(access, 'postgres') });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

/**
 * Starts the server in its own process group, so that Ctrl-C in the terminal does not stop it before requests in flight
 * end.
 */
async function spawnServer(install: Installation, port: number): Promise<ProcessIdentity | undefined> {
  const settings = Object.entries(install.settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const command = [...install.account.prefix, install.binaries.postgres, '-D', install.pgdata];
  const [file, ...args] = [...command, '-p', String(port), ...settings];
  const log = openLogFile(install.logPath);
  try {
    const child = spawn(file!, args, {
      ...spawnOptions(install),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log, log],
    });
    child.on('error', () => undefined);
    child.unref();
    return child.pid === undefined ? undefined : await identify(child.pid);
  } finally {
    closeSync(log);
  }
}

/** Waits for the first answer. False when the process ends before it. */
async function answers(server: ProcessIdentity, access: Access, install: Installation): Promise<boolean> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline && (await stillRuns(server))) {
    // Before the server says that it is ready, another server may answer at its port.
    const word = await ownWord(install);
    const outcome = word.pid === server.pid && word.serves ? await canConnect(access) : 'not yet';
    if (outcome === 'yes') return true;
    if (outcome === 'wrong password') {
      await shutDown(install, server);
      throw new Error(
        `Postgres in ${install.pgdata} refuses the password in ${install.dataDir}/postgres.json. Restore that ` +
          'file, or remove both to start anew (all data is lost).',
      );
    }
    await sleep(25);
  }
  return false;
}

async function canConnect(access: Access): Promise<'yes' | 'not yet' | 'wrong password'> {
  const connectionString = connectionUrl(access, 'postgres');
  const client = new Client({ connectionString, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return 'yes';
  } catch (error) {
    return (error as { code?: string }).code === '28P01' ? 'wrong password' : 'not yet';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Leaves the environment behind, because PGPORT, PGOPTIONS and others would change the server's behaviour. */
function spawnOptions(install: Installation): {
  uid?: number;
  gid?: number;
  env?: NodeJS.ProcessEnv;
  cwd: string;
} {
  const { prefix, owner } = install.account;
  const ids = prefix.length === 0 && owner ? owner : {};
  const posix = process.platform !== 'win32';
  return { ...ids, cwd: '/', ...(posix ? { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } } : {}) };
}

/** Whether an earlier start created the data folder. */
export function isInitialised(install: Installation): boolean {
  return existsSync(join(install.pgdata, 'PG_VERSION'));
}
