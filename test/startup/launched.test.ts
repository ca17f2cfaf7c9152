/** @long @isolated launches the product. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoCredentials } from '../../src/startup/demo-credentials';
import { endProcess, type ProcessIdentity, stillRuns } from '../../src/startup/embedded/process-identity';
import { shareBundles } from '../support/product';
import { temporaryFolder } from '../support/servers';
import { embeddedServers, killAll, READY, type Run, START_MS, start } from './process';

/** Tests the real `npm start`: which processes a signal reaches, and the effect of a closed pipe. */

const dataDir = temporaryFolder('launched');
const NPM = ['npm', 'start', '--'];
const TEST_MS = 2 * START_MS;
/** Time limit for the end of all processes after a stop, in milliseconds. */
const GONE_MS = 30_000;

const read = (name: string) => JSON.parse(readFileSync(join(dataDir, name), 'utf8')) as Record<string, any>;
const launch = (level = 'warn') => start([], { DATA_DIR: dataDir, LOG_LEVEL: level }, NPM);

/** Returns the processes of Node, Postgres, Temporal and the local chain, once all four run. */
async function allFour(): Promise<[ProcessIdentity, ...ProcessIdentity[]]> {
  const node = read('temporal.json')['keeper'] as ProcessIdentity;
  const servers = await embeddedServers(dataDir);
  expect([await stillRuns(node), servers.length]).toEqual([true, 3]);
  return [node, ...servers];
}

/** Waits for the processes to end. @returns the ids of those that still run at the time limit */
async function leftBehind(those: ProcessIdentity[]): Promise<number[]> {
  for (const deadline = Date.now() + GONE_MS; ; await sleep(50)) {
    const lives = await Promise.all(those.map(stillRuns));
    const left = those.filter((_, index) => lives[index]).map(({ pid }) => pid);
    if (left.length === 0 || Date.now() > deadline) return left;
  }
}

async function ready() {
  const run = launch();
  await run.until(READY);
  return { run, all: await allFour() };
}

const statusOf = async () => {
  const { baseUrl } = read('credentials.json') as DemoCredentials;
  return (await fetch(`${baseUrl}/health/ready`)).status;
};

/** Closes the output of the product and of npm. */
function closeOutput({ child }: Run): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/** Cleans up, so that a failed test does not fail the next one. */
afterEach(async () => {
  const keeper = existsSync(join(dataDir, 'temporal.json')) ? read('temporal.json')['keeper'] : undefined;
  const servers = await embeddedServers(dataDir).catch(() => []); // no server has started
  for (const identity of [keeper, ...servers])
    if (await stillRuns(identity)) await endProcess(identity, [['SIGKILL', 5_000]]);
  killAll();
});

beforeAll(() => shareBundles(dataDir));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe('leaves no process behind', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'when npm is sent %s',
    async (signal) => {
      const { run, all } = await ready();
      run.child.kill(signal);
      expect(await leftBehind(all)).toEqual([]);
      expect(await run.ended).toBe(signal === 'SIGHUP' ? 'SIGHUP' : 0);
    },
    TEST_MS,
  );

  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'when its own process is sent %s',
    async (signal) => {
      const { run, all } = await ready();
      process.kill(all[0].pid, signal);
      expect(await run.ended).toBe(0);
      expect(await leftBehind(all)).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'when npm is killed and cannot pass on a signal',
    async () => {
      const { run, all } = await ready();
      run.child.kill('SIGKILL');
      expect(await leftBehind(all)).toEqual([]);
    },
    TEST_MS,
  );
});

describe('continues to serve when the reader of its output has gone, and stops in order on request', () => {
  async function servesUnread(run: Run): Promise<void> {
    for (let times = 0; times < 20; times += 1) expect(await statusOf()).toBe(200); // each request writes a log line
    const all = await allFour();
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(0);
    expect(await leftBehind(all)).toEqual([]);
  }

  it.each([
    ['npm start', NPM],
    ['its process alone', undefined],
  ])(
    'after the banner: %s',
    async (_name, command) => {
      const run = start([], { DATA_DIR: dataDir, LOG_LEVEL: 'trace' }, command);
      await run.until(READY);
      closeOutput(run);
      await servesUnread(run);
    },
    TEST_MS,
  );

  it(
    'after the first lines, as by `npm start | head -3`',
    async () => {
      rmSync(join(dataDir, 'credentials.json'));
      const run = launch('trace');
      await run.until(/> .*\n> .*\n/);
      closeOutput(run);
      const isReady = async () =>
        existsSync(join(dataDir, 'credentials.json')) && (await statusOf().catch(() => undefined)) === 200;
      for (const deadline = Date.now() + START_MS; !(await isReady()); await sleep(50))
        if (Date.now() > deadline || run.child.exitCode !== null) throw new Error('it did not start');
      await servesUnread(run);
    },
    TEST_MS,
  );
});
