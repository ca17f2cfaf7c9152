import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { create } from 'tar';
import { temporalExecutable } from '../../../src/startup/embedded/temporal/binary';
import type { Release } from '../../../src/startup/embedded/temporal/download';
import { defaultCacheDir, type ToolContext } from '../../../src/startup/embedded/tool-cache';
import { ownPort } from '../../support/own-port';
import { temporaryFolder, timeSkippingServer } from '../../support/servers';
import { startedInTime } from '../../support/temporal';
import { testServerExecutable } from '../../support/temporal-test-server';

const NEW_ENOUGH = '#!/bin/sh\necho "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"\n';
const TOO_OLD = '#!/bin/sh\necho "temporal version 1.1.0 (Server 1.25.0, UI 2.30.0)"\n';

let folder: string;
let site: Server;
let requests: string[];
let archived: Buffer;

beforeEach(async () => {
  folder = temporaryFolder();
  requests = [];
  archived = await archive(NEW_ENOUGH);
  site = createServer((request, response) => {
    requests.push(request.url!);
    response.end(archived);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await new Promise((resolve) => site.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const context = (path = ''): ToolContext => ({
  environment: { PATH: path },
  cacheDir: join(folder, 'cache'),
});

/** The release at the test's site, for this platform alone. */
function release(): Release {
  const { port } = site.address() as AddressInfo;
  const sha256 = createHash('sha256').update(archived).digest('hex');
  const archives = {
    [`${process.platform}-${process.arch}`]: { name: 'program.tar.gz', sha256, program: 'bin/program' },
  };
  return { base: `http://127.0.0.1:${port}/v1/`, archives };
}

/** A compressed archive of a README and the program, as a release has it. */
async function archive(text: string): Promise<Buffer> {
  const content = await mkdtemp(join(folder, 'archive-'));
  await program(join(content, 'bin', 'program'), text);
  await writeFile(join(content, 'README.md'), 'x'.repeat(700));
  const file = join(content, 'archive.tar.gz');
  await create({ cwd: content, file, gzip: true }, ['README.md', 'bin/program']);
  return readFile(file);
}

async function program(path: string, content: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content, { mode: 0o755 });
  return path;
}

test('uses a program on the PATH first, unless it is too old', async () => {
  const good = await program(join(folder, 'good', 'temporal'), NEW_ENOUGH);
  await program(join(folder, 'old', 'temporal'), TOO_OLD);
  expect(await temporalExecutable(context(join(folder, 'good')), release())).toBe(good);
  expect(requests).toEqual([]);
  expect(await temporalExecutable(context(join(folder, 'old')), release())).toContain(join(folder, 'cache'));
});

test('uses the program of TEMPORAL_CLI_PATH', async () => {
  const path = await program(join(folder, 'mine'), NEW_ENOUGH);
  const given = context();
  expect(await temporalExecutable({ ...given, environment: { PATH: '', TEMPORAL_CLI_PATH: path } })).toBe(
    path,
  );
});

test('downloads a runnable program once for this platform, and finds it in the cache afterwards', async () => {
  const path = await temporalExecutable(context(), release());
  const { stdout } = await promisify(execFile)(path, ['--version']);
  expect(stdout).toContain('Server 1.29.1');
  expect(await temporalExecutable(context(), release())).toBe(path);
  expect(requests).toEqual(['/v1/program.tar.gz']);
});

test('refuses a download whose checksum is not that of the release, and keeps nothing of it', async () => {
  const released = release();
  archived = await archive(`${NEW_ENOUGH}exit 0\n`);
  await expect(temporalExecutable(context(), released)).rejects.toThrow(
    'the download: program.tar.gz has not the checksum of its release',
  );
  expect(await readdir(join(folder, 'cache'))).toEqual([]);
});

test('downloads nothing for a platform whose checksum is not known', async () => {
  await expect(temporalExecutable(context(), { ...release(), archives: {} })).rejects.toThrow(
    'the download: there is none for',
  );
  expect(requests).toEqual([]);
});

test('fetches nothing in live mode, and runs what was put there', async () => {
  const live = { ...context(), mayFetch: false };
  await expect(temporalExecutable(live, release())).rejects.toThrow(
    'the download: live mode fetches no program',
  );
  expect(requests).toEqual([]);
  const path = await temporalExecutable(context(), release());
  expect(await temporalExecutable(live, release())).toBe(path);
});

test('gives parallel first runs the same complete program, and leaves no other file', async () => {
  const paths = await Promise.all(Array.from({ length: 6 }, () => temporalExecutable(context(), release())));
  expect(new Set(paths).size).toBe(1);
  expect(await readdir(join(folder, 'cache'))).toEqual(['temporal-cli']);
});

test('lists all failed ways in one message that says what to do', async () => {
  archived = await archive(TOO_OLD);
  const failure = await temporalExecutable(context(), release()).catch((error: Error) => error.message);
  expect(failure).toContain('the PATH: no "temporal"');
  expect(failure).toContain('has server 1.25, 1.28 is needed');
  expect(failure).toContain('go install: no "go" on the PATH');
  expect(failure).toContain('or set TEMPORAL_ADDRESS to a server that runs.');
});

test('gives up an unreachable site soon', async () => {
  const away = { ...release(), base: `http://127.0.0.1:${await ownPort()}/` };
  await expect(testServerExecutable(context(), away)).rejects.toThrow(
    /the download: .*ECONNREFUSED[\s\S]*TEMPORAL_TEST_SERVER_PATH/,
  );
  expect(await readdir(join(folder, 'cache'))).toEqual([]);
});

test('the cache folder follows XDG and the platform', () => {
  expect(defaultCacheDir({ XDG_CACHE_HOME: '/x', HOME: '/h' }, 'linux')).toBe('/x/cardwright');
  expect(defaultCacheDir({ HOME: '/h' }, 'linux')).toBe('/h/.cache/cardwright');
  expect(defaultCacheDir({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Caches/cardwright');
});

test('the test server skips a month in a moment', async () => {
  const server = await timeSkippingServer();
  const environment = await startedInTime(() => TestWorkflowEnvironment.createTimeSkipping({ server }));
  try {
    const before = await environment.currentTimeMs();
    await environment.sleep('30 days');
    expect((await environment.currentTimeMs()) - before).toBeGreaterThanOrEqual(30 * 86_400_000);
  } finally {
    await environment.teardown();
  }
}, 600_000);
