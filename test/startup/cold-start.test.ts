/** @long @isolated launches the product. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cardwright } from '../../client/src';
import type { DemoCredentials } from '../../src/startup/demo-credentials';
import { temporalExecutable } from '../../src/startup/embedded/temporal/binary';
import { temporaryFolder, toolContext } from '../support/servers';
import { until } from '../support/until';
import { killAll, READY, START_MS, start } from './process';

/** Starts on a machine where Temporal must be built. `go` is a program of the test, which waits for the test. */

const folder = temporaryFolder('cold-start');
const dataOf = (name: string) => join(folder, `data-${name}`);
const TEST_MS = 2 * START_MS;

afterAll(() => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});

/** @param build script of `go install` */
function startBuilding(name: string, build: string) {
  const bin = join(folder, name);
  mkdirSync(bin);
  writeFileSync(join(bin, 'go'), `#!/bin/sh\n${build}\n`, { mode: 0o755 });
  return start([], {
    DATA_DIR: dataOf(name),
    CHAIN: 'off',
    LOG_LEVEL: 'warn',
    PATH: `${bin}:/usr/bin:/bin`,
    TEMPORAL_CLI_PATH: '',
    XDG_CACHE_HOME: join(folder, `cache-${name}`),
    HTTPS_PROXY: 'http://127.0.0.1:1', // nothing can be downloaded
  });
}

it(
  'ends with the reasons when Temporal can neither be downloaded nor built',
  async () => {
    const run = startBuilding('failing', 'echo "no compiler" >&2; exit 1');
    expect(await run.ended).toBe(2);
    expect(run.text()).toContain('The Temporal server was not found and could not be fetched');
    expect(run.text()).toContain('no compiler');
  },
  TEST_MS,
);

it(
  'accepts requests while Temporal is built, and executes them afterwards',
  async () => {
    const executable = await temporalExecutable(toolContext());
    const built = join(folder, 'built');
    const run = startBuilding(
      'waiting',
      `until [ -e '${built}' ]; do sleep 0.1; done; cp '${executable}' "$GOBIN/temporal"`,
    );
    const [, baseUrl] = await run.until(/The API takes requests at (http:\/\/[\w.:]+)\. /);
    const { client } = JSON.parse(
      readFileSync(join(dataOf('waiting'), 'credentials.json'), 'utf8'),
    ) as DemoCredentials;
    const kit = cardwright({ baseUrl: baseUrl ?? '', ...client });
    const account = async () => (await kit.listAccounts({ query: { currency: 'USD' } })).data[0]!;
    const ready = () => fetch(`${baseUrl}/health/ready`);
    const { id, balance: before } = await account();
    const topup = await kit.topUpAccount({
      path: { id },
      body: { amount: '20.00', paymentMethodToken: 'tok_slow' },
    });
    expect(topup.status).toBe('pending');
    const notReady = await ready();
    expect([notReady.status, await notReady.json()]).toMatchObject([
      503,
      { checks: { postgres: 'up', temporal: 'down', workers: 'down' } },
    ]);
    expect((await account()).balance).toEqual(before);
    expect(READY.test(run.text())).toBe(false);

    writeFileSync(built, '');
    await run.until(READY);
    expect((await ready()).status).toBe(200);
    await until(async () => (await account()).balance.available !== before.available);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
  },
  TEST_MS,
);

it(
  'stops at once while Temporal is built',
  async () => {
    const run = startBuilding('never', 'exec sleep 1000');
    await run.until(/The API takes requests at/);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
  },
  TEST_MS,
);
