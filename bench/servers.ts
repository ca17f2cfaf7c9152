import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { migrate } from '../src/kernel/db/migrate';
import { giveRights } from '../src/kernel/db/roles';
import { DECLARED_SEARCH_ATTRIBUTES } from '../src/kernel/temporal/search-attributes';
import { runtimeUrl } from '../src/startup/embedded/postgres/connection';
import { startPostgres } from '../src/startup/embedded/postgres/server';
import { temporalExecutable } from '../src/startup/embedded/temporal/binary';
import { startTemporal } from '../src/startup/embedded/temporal/server';
import { defaultCacheDir } from '../src/startup/embedded/tool-cache';
import type { LoadPlan, LoadResult } from './load';
import { runInOwnProcess } from './own-process';

const ROOT = join(__dirname, '..');
const LOG = { info: () => undefined, warn: (line: string) => console.error(line) };

export interface Bench {
  /** URL of a migrated database, as the product opens it. */
  databaseUrl: string;
  /** The same as the owner, who prepares measurements. */
  ownerUrl: string;
  /** Returns the URL of an empty database on the same server, for a comparison. */
  urlOf(database: string): string;
  /** The values of MASTER_KEYS and SIGNER_KEYS. */
  masterKeys: string;
  signerKeys: string;
  dataDir: string;
  postgresPid(): number;
  /** Registers work that runs first when the measurement ends, also after a signal. */
  before(close: () => Promise<void>): void;
  close(): Promise<void>;
}

/**
 * Starts a real Postgres with full durability, in a folder that is removed after the measurement.
 * @param settings further settings of the server
 */
export async function openBench(settings: Record<string, string> = {}): Promise<Bench> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cardwright-bench-'));
  const postgres = await startPostgres({ dataDir, log: LOG, settings });
  const others: (() => Promise<void>)[] = [];
  const close = async () => {
    await Promise.all(others.splice(0).map((each) => each()));
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void close().then(() => process.exit(130)));
  const urlOf = (database: string) =>
    Object.assign(new URL(postgres.url), { pathname: `/${database}` }).toString();
  await createDatabase(postgres.url, 'bench');
  const ownerUrl = urlOf('bench');
  await migrate(ownerUrl);
  await giveRights({ owner: ownerUrl, runtime: runtimeUrl(ownerUrl), sandbox: true });
  // BENCH_UNNAMED=on: statements are sent without a name, as through PgBouncer.
  const unnamed = process.env['BENCH_UNNAMED'] === 'on' ? '?pgbouncer=true' : '';
  return {
    databaseUrl: runtimeUrl(ownerUrl) + unnamed,
    ownerUrl,
    urlOf,
    dataDir,
    postgresPid: () => postgres.pid(),
    signerKeys: `bench:${randomBytes(32).toString('base64')}`,
    masterKeys: `bench:${randomBytes(32).toString('base64')}`,
    before: (each) => void others.push(each),
    close,
  };
}

/** Starts a real Temporal, which stops when the measurement ends. */
export async function startBenchTemporal(bench: Bench) {
  const temporal = await startTemporal({
    dataDir: bench.dataDir,
    executable: await temporalExecutable({
      environment: process.env,
      cacheDir: defaultCacheDir(process.env),
    }),
    searchAttributes: DECLARED_SEARCH_ATTRIBUTES,
    log: LOG,
  });
  bench.before(() => temporal.stop());
  return temporal;
}

export async function createDatabase(serverUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
}

/** Clients of HTTP refuse port 10,080. */
const BASE_PORTS = { api: 10_100, worker: 12_600, dispatcher: 20_000, signer: 22_500 };
type Role = keyof typeof BASE_PORTS;

/** A role's HTTP port; metrics have the port 5,000 above. Linux gives no connection a port in this range. */
export const portOf = (role: Role): number => BASE_PORTS[role] + (process.pid % 2_500);

/** Starts one role of the product in a process of its own, as in production. Its log goes to a file. */
export async function startRole(
  bench: Bench,
  role: Role,
  environment: Record<string, string>,
  port = portOf(role),
): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const output = openSync(join(bench.dataDir, `${role}.log`), 'a');
  const child = spawn(
    process.execPath,
    [...profileArguments(), '--require', './scripts/typescript.cjs', 'src/main.ts', '--role', role],
    {
      cwd: ROOT,
      stdio: ['ignore', output, output],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        DATABASE_URL: bench.databaseUrl,
        MASTER_KEYS: bench.masterKeys,
        ...(role === 'signer' ? { SIGNER_KEYS: bench.signerKeys } : {}),
        DATA_DIR: bench.dataDir,
        PORT: String(port),
        METRICS_PORT: String(port + 5_000),
        ...environment,
      },
    },
  );
  process.once('exit', () => child.kill());
  if (role === 'signer') return { port, pid: child.pid ?? 0, stop: () => stopped(child) };
  const url =
    role === 'api' ? `http://127.0.0.1:${port}/health` : `http://127.0.0.1:${port + 5_000}/health/ready`;
  await untilAnswers(url, child, join(bench.dataDir, `${role}.log`));
  return { port, pid: child.pid ?? 0, stop: () => stopped(child) };
}

/** BENCH_PROFILE names a folder. Each process then writes a V8 processor profile to it when it ends. */
function profileArguments(): string[] {
  const folder = process.env['BENCH_PROFILE'];
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
}

/** Starts an API for cards without Temporal. Its commands to Temporal wait. */
export const startCardApi = (bench: Bench, logLevel: 'info' | 'warn' = 'info', port = portOf('api')) =>
  startRole(bench, 'api', { TEMPORAL_ADDRESS: '127.0.0.1:1', LOG_LEVEL: logLevel, DATABASE_POOL: '8' }, port);

export async function untilAnswers(url: string, child: ChildProcess, log: string): Promise<void> {
  for (let turn = 0; turn < 300; turn += 1) {
    if (child.exitCode !== null) throw new Error(`the process has ended: see ${log}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error(`${url} does not answer: see ${log}`);
}

export async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/**
 * Runs a load plan in a process of its own.
 * @throws Error when an answer is a refusal or a failure, unless the plan expects refusals, because they are faster than the work
 */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const result = await runInOwnProcess<LoadPlan, LoadResult>(join(__dirname, 'load.ts'), plan);
  const { statuses } = result;
  if (!plan.refusals && Object.keys(statuses).some((status) => !status.startsWith('2')))
    throw new Error(`${plan.path} answered ${JSON.stringify(statuses)}`);
  return result;
}

/**
 * Measures transactions per second of TPC-B by pgbench on the same server: scale 20, 10 seconds, these connections.
 * Undefined when pgbench is not on the PATH.
 */
export async function tpcB(bench: Bench, connections: number[]): Promise<Map<number, number> | undefined> {
  if (spawnSync('pgbench', ['--version']).status !== 0) return undefined;
  await createDatabase(bench.urlOf('postgres'), 'tpcb');
  const url = bench.urlOf('tpcb');
  spawnSync('pgbench', ['-i', '-q', '-s', '20', url]);
  const found = new Map<number, number>();
  for (const count of connections) {
    const run = spawnSync('pgbench', ['-c', String(count), '-j', '2', '-T', '10', '-M', 'prepared', url], {
      encoding: 'utf8',
    });
    found.set(count, Math.round(Number(/tps = ([\d.]+)/.exec(run.stdout)?.[1])));
  }
  return found;
}
