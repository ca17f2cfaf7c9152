import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandLine, identify, type ProcessIdentity } from '../process-identity';
import type { PostgresBinaries, ServerAccount } from './binaries';
import { USER } from './connection';

const run = promisify(execFile);

export interface Installation {
  pgdata: string;
  binaries: PostgresBinaries;
  account: ServerAccount;
}

/** Other variables are left behind, because PGPORT, PGOPTIONS and others would change the server's behaviour. */
export const ENVIRONMENT = { LC_ALL: 'C' };

/** The account that a spawn switches to. Undefined when the command's prefix does so. */
export const spawnAccount = ({ prefix, owner }: ServerAccount): ServerAccount['owner'] =>
  prefix.length === 0 ? owner : undefined;

/** Whether an earlier start created the data folder. */
export const isInitialised = (pgdata: string): boolean => existsSync(join(pgdata, 'PG_VERSION'));

/**
 * Creates the data folder under a temporary name first, so that an interrupted first start leaves no partial data.
 * C.UTF-8 is built into Postgres 17 and later, so every machine sorts alike.
 */
export async function initialise(
  { pgdata, binaries, account }: Installation,
  password: string,
): Promise<void> {
  const fresh = `${pgdata}.new`;
  const passwordFile = `${pgdata}.password`;
  const { uid, gid } = account.owner ?? {};
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) {
    await Promise.all([chown(fresh, uid, gid), chown(passwordFile, uid, gid)]);
  }
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--auth=scram-sha-256', `--username=${USER}`, `--pwfile=${passwordFile}`];
  const [file, ...args] = [...account.prefix, binaries.initdb, `--pgdata=${fresh}`, ...locale, ...access];
  const posix = process.platform !== 'win32';
  const env = { PATH: '/usr/bin:/bin', TZ: 'UTC', ...ENVIRONMENT };
  try {
    await run(file!, args, { ...spawnAccount(account), cwd: '/', ...(posix ? { env } : {}) });
    await rename(fresh, pgdata);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`Postgres could not make its data folder ${pgdata}: ${stderr?.trim() || message}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/**
 * The server that runs on a data folder, by its own pid file (miscinit.h of Postgres). The file is removed when another
 * program has that process id now (a restarted container), because Postgres would refuse to start.
 */
export async function serverOn(pgdata: string): Promise<ProcessIdentity | undefined> {
  const pidFile = join(pgdata, 'postmaster.pid');
  const server = await identify(Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10));
  if (!server || process.platform === 'win32') return server;
  if ((await commandLine(server.pid)).includes(`postgres -D ${pgdata} `)) return server;
  await rm(pidFile, { force: true });
  return undefined;
}
