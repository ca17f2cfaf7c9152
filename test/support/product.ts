import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Role } from '../../src/kernel/config/config';
import { DECLARED_SEARCH_ATTRIBUTES } from '../../src/kernel/temporal/search-attributes';
import type { DemoCredentials } from '../../src/startup/demo-credentials';
import { anvilExecutable } from '../../src/startup/embedded/chain/binary';
import { startChain } from '../../src/startup/embedded/chain/server';
import { runtimeUrl } from '../../src/startup/embedded/postgres/connection';
import { startPostgres } from '../../src/startup/embedded/postgres/server';
import { temporalExecutable } from '../../src/startup/embedded/temporal/binary';
import { startTemporal } from '../../src/startup/embedded/temporal/server';
import { READY, type Run, START_MS, start } from '../startup/process';
import { masterKeysText, SIGNER_KEYS_TEXT } from './keyring';
import { anotherOperator, commandReading } from './operator';
import { ownPort } from './own-port';
import { giveOwnPorts, quietLog, temporaryFolder, toolContext } from './servers';

/** Runs the whole product in processes: as `npm start` does, and as docker-compose.yml does. */

export interface Credential {
  clientId: string;
  clientSecret: string;
}

export interface Whole {
  run: Run;
  credentials: DemoCredentials;
  metricsUrl: string;
  /** Sends the signal. @returns the exit code */
  stop(signal?: 'SIGINT' | 'SIGTERM'): Promise<number | string | null>;
  /** Sends SIGKILL. The embedded servers are left behind. */
  kill9(): Promise<void>;
}

/** Runs `npm start` on a data folder, on free ports unless the environment names others. Waits until it is ready. */
export async function startWhole(dataDir: string, environment: Record<string, string> = {}): Promise<Whole> {
  const run = start([], { DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...environment });
  const [told] = await run.until(READY);
  return {
    run,
    credentials: JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as DemoCredentials,
    metricsUrl: (JSON.parse(told) as { metrics: string }).metrics,
    async stop(signal = 'SIGINT') {
      run.child.kill(signal);
      return run.ended;
    },
    kill9: () => kill9(run),
  };
}

async function kill9({ child, ended }: Run): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/** An embedded server that can be stopped for a while. It keeps its port and its data. */
export interface Server {
  pid(): number;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A role that is started again whenever it ends, like a container. */
export interface Kept {
  pid(): number | undefined;
  /** Number of ends that the test did not cause. */
  failures(): number;
  /** Output of all its runs. */
  text(): string;
  /** Base URL of the metrics and of the health of its present run. */
  metricsUrl(): string;
  /** Sends SIGKILL. Resolves when the role serves again. */
  kill9(): Promise<void>;
  stop(): Promise<number | string | null>;
}

export interface Fleet {
  dataDir: string;
  masterKey: Buffer;
  databaseUrl: string;
  temporalAddress: string;
  baseUrl: string;
  postgres: Server;
  temporal: Server;
  /** The local chain as `npm start` runs it. No network names it yet. */
  chain: Server & { url: string };
  api: Kept;
  worker: Kept;
  signer: Kept;
  /**
   * Starts one more process, and waits until it serves.
   * @param more its own variables, such as `PORT`
   * @param folder of another version of the product (scripts/unpack-commit.ts). Default: the fleet's
   */
  another(role: KeptRole, more?: Record<string, string>, folder?: string): Promise<Kept>;
  /** Migrates the schema by this checkout, or by the product of a folder. @throws Error with its output */
  migrate(folder?: string): Promise<void>;
  /** Creates a tenant by an operator command. */
  newTenant(role?: 'client' | 'admin'): Promise<Credential>;
  /** Runs an operator command. @returns its exit code and output */
  operator(...argv: string[]): Promise<{ code: number; out: string }>;
  /** Runs an operator command with standard input. */
  operatorReading(input: string, ...argv: string[]): Promise<{ code: number; out: string }>;
  close(): Promise<void>;
}

type KeptRole = Exclude<Role, 'all'>;

/**
 * Starts Postgres, Temporal and the local chain, with the roles migrate, api, worker and signer beside them.
 * @param folder of another version of the product (scripts/unpack-commit.ts). Default: this checkout
 * @param through gives the product another address of the database, such as a pooler's
 */
export async function startFleet(
  more: Record<string, string> = {},
  folder?: string,
  through: (url: string) => Promise<string> = async (url) => url,
): Promise<Fleet> {
  const dataDir = temporaryFolder('fleet');
  await Promise.all([shareBundles(dataDir), giveOwnPorts(dataDir)]);
  const [postgres, temporal, chain] = await Promise.all([
    postgresOn(dataDir),
    temporalOn(dataDir),
    chainOn(dataDir),
  ]);
  const port = await ownPort();
  const masterKey = randomBytes(32);
  const environment = {
    NODE_ENV: 'production',
    MODE: 'sandbox',
    MASTER_KEYS: masterKeysText(masterKey),
    DATABASE_URL: await through(runtimeUrl(postgres.url())),
    TEMPORAL_ADDRESS: temporal.address(),
    DATA_DIR: dataDir, // has only the bundle
    SHUTDOWN_SECONDS: '5',
    PORT: String(port),
    ...more,
  };
  const stopServers = () => Promise.all([postgres.stop(), temporal.stop(), chain.stop()]);
  async function migrate(by = folder): Promise<void> {
    const owner = { ...environment, DATABASE_OWNER_URL: postgres.url() };
    const run = start(['--role', 'migrate'], owner, undefined, by);
    if ((await run.ended) !== 0) throw new Error(run.text());
  }
  await migrate().catch(async (error: unknown) => {
    await stopServers();
    throw error;
  });
  // One key list for the signing process and for commands about the seed, never for the other roles.
  const keepRole = (role: KeptRole, own: Record<string, string>, by = folder) =>
    keep(
      role,
      { ...environment, ...(role === 'signer' ? { SIGNER_KEYS: SIGNER_KEYS_TEXT } : {}), ...own },
      by,
    );
  const signer = keepRole('signer', {});
  const api = keepRole('api', {});
  const worker = keepRole('worker', {});
  const roles = [api, worker, signer];
  const stopRoles = () => Promise.all(roles.map((role) => role.stop()));
  await Promise.all([api.serves(), worker.serves(), signer.serves()]).catch(async (error: unknown) => {
    await stopRoles();
    await stopServers();
    throw error;
  });

  let ida: ReturnType<typeof anotherOperator<typeof environment>> | undefined;
  async function operatorReading(input: string, ...argv: string[]) {
    ida ??= anotherOperator(environment, 'ida');
    const { code, out, err } = await commandReading(input, await ida, ...argv);
    return { code, out: [out, err].filter(Boolean).join('\n') };
  }
  const operator = (...argv: string[]) => operatorReading('', ...argv);

  return {
    dataDir,
    masterKey,
    databaseUrl: postgres.url(),
    temporalAddress: temporal.address(),
    baseUrl: `http://127.0.0.1:${port}`,
    postgres,
    temporal,
    chain,
    api,
    worker,
    signer,
    operator,
    operatorReading,
    async another(role, own = {}, by = folder) {
      const another = keepRole(role, own, by);
      roles.push(another);
      await another.serves();
      return another;
    },
    migrate,
    async newTenant(role = 'client') {
      const made = await operator('client', 'create', '--name', 'Acme', '--role', role, '--json');
      return JSON.parse(made.out) as Credential;
    },
    async close() {
      await stopRoles();
      await stopServers();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Copies the workflow bundle to a data folder. The bundle is built once for all folders, because that takes both cores
 * for seconds.
 */
export async function shareBundles(dataDir: string): Promise<void> {
  const shared = join(tmpdir(), 'cardwright-bundles');
  await mkdir(shared, { recursive: true });
  await symlink(shared, join(dataDir, 'cache'));
}

async function postgresOn(dataDir: string) {
  const start = () => startPostgres({ dataDir, log: quietLog });
  const server = await switchable(start);
  return { ...server, url: () => server.now().url };
}

async function temporalOn(dataDir: string) {
  const executable = await temporalExecutable(toolContext());
  const options = { dataDir, executable, searchAttributes: DECLARED_SEARCH_ATTRIBUTES, log: quietLog };
  const server = await switchable(() => startTemporal(options));
  return { ...server, address: () => server.now().address };
}

async function chainOn(dataDir: string) {
  const executable = anvilExecutable();
  if (!executable) throw new Error('@foundry-rs/anvil is not installed for this machine');
  const server = await switchable(() => startChain({ dataDir, executable, log: quietLog }));
  return { ...server, url: server.now().url };
}

async function switchable<S extends { pid(): number; stop(): Promise<void> }>(make: () => Promise<S>) {
  let server = await make();
  let runs = true;
  return {
    now: () => server,
    pid: () => server.pid(),
    async stop() {
      if (runs) await server.stop();
      runs = false;
    },
    async start() {
      if (!runs) server = await make();
      runs = true;
    },
  };
}

const RESTART_MS = 200;

function keep(
  role: KeptRole,
  environment: Record<string, string>,
  folder: string | undefined,
): Kept & { serves(): Promise<void> } {
  let run: Run;
  let before = '';
  let failures = 0;
  let killed = false;
  let stopping = false;
  let last: number | string | null = null;

  const loop = (async () => {
    while (!stopping) {
      run = start(['--role', role], environment, undefined, folder);
      last = await run.ended;
      before += run.text();
      if (stopping) return;
      if (!killed) failures += 1;
      killed = false;
      await sleep(RESTART_MS);
    }
  })();

  async function serves(): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (!/"started"/.test(run.text()) || run.child.exitCode !== null) {
      if (Date.now() > deadline) throw new Error(`${role} does not start:\n${before}${run.text()}`);
      await sleep(50);
    }
  }

  return {
    pid: () => run.child.pid,
    failures: () => failures,
    text: () => before + run.text(),
    metricsUrl: () => `http://127.0.0.1:${/"metricsPort":(\d+).*"started"/.exec(run.text())?.[1]}`,
    serves,
    async kill9() {
      killed = true;
      const victim = run;
      await kill9(victim);
      while (run === victim) await sleep(10);
      await serves();
    },
    async stop() {
      stopping = true;
      run.child.kill('SIGTERM');
      await loop;
      return last;
    },
  };
}
