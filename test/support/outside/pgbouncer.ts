import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownPort } from '../own-port';
import { until } from '../until';

/** The PgBouncer of this machine, started for a test. */

const PATHS = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'];

/** Undefined: this machine has none. */
export const pgBouncerPath = (): string | undefined => PATHS.find((path) => existsSync(path));

export interface PgBouncer {
  /** The address of the same database through PgBouncer, for the product. */
  url: string;
  /** Its log. */
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode, in front of a database and with its user.
 * @param serverConnections at most so many sessions at Postgres, fewer than the product's connections
 */
export async function startPgBouncer(
  path: string,
  direct: string,
  serverConnections: number,
): Promise<PgBouncer> {
  const { hostname, port, pathname, username, password } = new URL(direct);
  const folder = mkdtempSync(join(tmpdir(), 'cardwright-pgbouncer-'));
  chmodSync(folder, 0o755);
  const listenPort = await ownPort();
  const [users, settings] = [join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')];
  writeFileSync(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
  writeFileSync(
    settings,
    [
      '[databases]',
      `* = host=${hostname} port=${port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listenPort}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      'max_client_conn = 500',
      `default_pool_size = ${serverConnections}`,
      '',
    ].join('\n'),
  );
  const child: ChildProcess = spawn(path, [...userOf(), settings], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString('utf8');
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${output}`);
    return answers(listenPort);
  });
  const user = password === '' ? username : `${username}:${password}`;
  return {
    url: `postgres://${user}@127.0.0.1:${listenPort}${pathname}?pgbouncer=true`,
    log: () => output,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PgBouncer refuses to run as root. */
const userOf = (): string[] =>
  execFileSync('id', ['-u'], { encoding: 'utf8' }).trim() === '0' ? ['-u', 'nobody'] : [];

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
