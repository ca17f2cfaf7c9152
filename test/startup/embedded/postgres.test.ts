/** @long @isolated kills servers. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { type EmbeddedPostgres, startPostgres } from '../../../src/startup/embedded/postgres/server';
import { kill, quietLog, startKeeper, temporaryFolder } from '../../support/servers';
import { until } from '../../support/until';

let dataDir: string;
let server: EmbeddedPostgres | undefined;

beforeEach(async () => {
  dataDir = temporaryFolder();
});

afterEach(async () => {
  await server?.stop();
  server = undefined;
  await rm(dataDir, { recursive: true, force: true });
});

async function start(settings: Record<string, string> = {}): Promise<EmbeddedPostgres> {
  server = await startPostgres({ dataDir, log: quietLog, settings });
  return server;
}

async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

test('is durable, UTF-8 and reachable from this machine only, whatever the environment', async () => {
  const { url } = await start({
    fsync: 'off',
    synchronous_commit: 'off',
    listen_addresses: '*',
    work_mem: '8MB',
  });
  const rows = await query<{ name: string; setting: string }>(
    url,
    `SELECT name, setting FROM pg_settings WHERE name IN
       ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'server_encoding', 'work_mem')`,
  );
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    listen_addresses: '127.0.0.1',
    server_encoding: 'UTF8',
    work_mem: '8192',
  });
  expect(new URL(url).hostname).toBe('127.0.0.1');
});

test('keeps data, port and password over a restart, in files that only their owner can read', async () => {
  const first = await start();
  await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS n');
  await first.stop();
  const second = await start();
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  expect((await stat(join(dataDir, 'postgres.json'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700);
});

test('a server left behind by a SIGKILL is taken over unchanged', async () => {
  const keeper = await startKeeper('postgres', dataDir);
  await query(keeper.url!, 'CREATE TABLE kept AS SELECT 7 AS n');
  await kill(keeper.process);
  const taken = await start();
  expect(taken.pid()).toBe(keeper.pid);
  expect(taken.url).toBe(keeper.url);
  expect(await query(taken.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
});

test('a server left behind with other settings is started again with the new ones', async () => {
  const keeper = await startKeeper('postgres', dataDir);
  await kill(keeper.process);
  const taken = await start({ work_mem: '16MB' });
  expect(taken.pid()).not.toBe(keeper.pid);
  expect(await query(taken.url, 'SHOW work_mem')).toEqual([{ work_mem: '16MB' }]);
});

test('a second process is refused while the first runs the server', async () => {
  const keeper = await startKeeper('postgres', dataDir);
  await expect(start()).rejects.toThrow(`Another process (${keeper.process.pid}) already runs on ${dataDir}`);
  await kill(keeper.process);
  await start();
});

test('a killed server is started again on its port with all committed data', async () => {
  const { url, pid } = await start();
  const before = pid();
  await query(url, 'CREATE TABLE kept AS SELECT 7 AS n');
  process.kill(before, 'SIGKILL');
  await until(() => pid() !== before);
  expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
});

test('data without its password stays unchanged, and the message says what to do', async () => {
  const first = await start();
  await first.stop();
  server = undefined;
  await rm(join(dataDir, 'postgres.json'));
  await expect(start()).rejects.toThrow(/postgres\.json is missing.*Restore it, or remove/);
});

test('data with another password are left alone, and their server is ended', async () => {
  const first = await start();
  await first.stop();
  server = undefined;
  const [path, pidFile] = [join(dataDir, 'postgres.json'), join(dataDir, 'postgres', 'postmaster.pid')];
  const kept = await readFile(path, 'utf8');
  await writeFile(path, kept.replace(/("password": ")[^"]*/, '$1another'));
  await expect(start()).rejects.toThrow(`refuses the password in ${path}`);
  await expect(stat(pidFile)).rejects.toThrow('ENOENT');
  await writeFile(path, kept);
  expect((await start()).url).toBe(first.url);
});

test('starts although another program has the process id of a killed server', async () => {
  const keeper = await startKeeper('postgres', dataDir);
  await query(keeper.url!, 'CREATE TABLE kept AS SELECT 7 AS n');
  await kill(keeper.process);
  process.kill(keeper.pid, 'SIGKILL');
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  const lines = (await readFile(pidFile, 'utf8')).split('\n');
  await writeFile(pidFile, [process.pid, ...lines.slice(1)].join('\n'));
  const { url } = await start();
  expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
});
