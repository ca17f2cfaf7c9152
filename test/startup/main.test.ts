/** @long @isolated launches the product. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cardwright } from '../../client/src';
import { DECLARED_SEARCH_ATTRIBUTES } from '../../src/kernel/temporal/search-attributes';
import type { DemoCredentials } from '../../src/startup/demo-credentials';
import { stillRuns } from '../../src/startup/embedded/process-identity';
import { temporalExecutable } from '../../src/startup/embedded/temporal/binary';
import { startTemporal } from '../../src/startup/embedded/temporal/server';
import { command } from '../support/operator';
import { ownPort } from '../support/own-port';
import { quietLog, temporaryFolder, toolContext } from '../support/servers';
import { until } from '../support/until';
import { embeddedServers, killAll, READY, START_MS, start as startProcess } from './process';

const dataDir = temporaryFolder('main');
afterAll(() => {
  killAll();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (args: string[] = [], environment: Record<string, string> = {}) =>
  startProcess(args, { DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...environment });
const KEYS = `first:${Buffer.alloc(32, 7).toString('base64')}`;

const path = (name: string) => join(dataDir, name);
const read = (name: string) => JSON.parse(readFileSync(path(name), 'utf8')) as Record<string, any>;
const credentials = () => read('credentials.json') as DemoCredentials;

const clientOf = ({ baseUrl, client }: DemoCredentials) => cardwright({ baseUrl, ...client });

it(
  'starts on an empty folder, serves, stops in order, and keeps its data at the next start',
  async () => {
    const first = start();
    const [told] = await first.until(READY);
    const made = credentials();
    expect(statSync(path('credentials.json')).mode & 0o777).toBe(0o600);
    expect(statSync(path('master.key')).mode & 0o777).toBe(0o600);
    expect(first.text()).toContain(made.baseUrl);
    expect(first.text()).toContain(`${made.baseUrl}/docs`);
    expect(first.text()).toContain(path('credentials.json'));
    expect(first.text()).not.toContain(made.client.clientSecret);
    expect((await clientOf(made).listAccounts()).data).not.toEqual([]);
    // Only a user who can read the folder is its operator.
    const create = ['client', 'create', '--name', 'Acme'];
    expect((await command({ DATA_DIR: dataDir }, ...create)).code).toBe(0);
    const wrong = { DATA_DIR: dataDir, OPERATOR_SECRET: 'wrong' };
    expect(await command(wrong, ...create)).toMatchObject({ code: 1, out: '' });
    const ready = await fetch(`${made.baseUrl}/health/ready`);
    expect(await ready.json()).toEqual({
      status: 'ok',
      checks: { postgres: 'up', temporal: 'up', workers: 'up' },
    });
    const { metrics } = JSON.parse(told) as { metrics: string };
    expect(await (await fetch(metrics)).text()).toContain('route="/v1/accounts"');
    expect((await fetch(made.temporalUi ?? '')).status).toBe(200);

    const second = start();
    expect(await second.ended).toBe(2);
    expect(second.text()).toMatch(/Another process \(\d+\) already runs on/);

    const { data: networks } = await clientOf(made).listNetworks();
    expect(networks).toMatchObject([{ chain: 'local', enabled: true }]);

    const servers = await embeddedServers(dataDir);
    expect(servers).toHaveLength(3);
    first.child.kill('SIGINT');
    expect([await first.ended, first.text().includes('Stopping')]).toEqual([0, true]);
    for (const server of servers) expect(await stillRuns(server)).toBe(false);

    const third = start([], { CHAIN: 'off' });
    await third.until(READY);
    expect([first.text().includes('"chain":"http'), third.text().includes('"chain":"http')]).toEqual([
      true,
      false,
    ]);
    expect(read('chain.json')['server']).toBeUndefined();
    expect(credentials().client).toEqual(made.client);
    expect((await clientOf(credentials()).listAccounts()).data).not.toEqual([]);
    third.child.kill('SIGTERM');
    expect(await third.ended).toBe(0);
  },
  2 * START_MS,
);

it(
  'starts with a few lines of JSON without a terminal, and is quiet while idle',
  async () => {
    const run = start([], { LOG_LEVEL: 'info' });
    const [told] = await run.until(READY);
    const { metrics } = JSON.parse(told) as { metrics: string };
    const measured = async () => (await fetch(metrics)).text();
    const calls = async () => {
      const counts = [...(await measured()).matchAll(/^party_calls_total\{.* (\d+)$/gm)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await calls();
    await until(async () => (await calls()) > before + 20); // the parties' lists are polled
    const lines = run.text().trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      expect.stringContaining('Starting Postgres, Temporal'),
      'Cardwright is ready',
    ]);
    expect(await measured()).not.toMatch(/route="\/(sandbox\/providers|health)/);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
  },
  START_MS,
);

it(
  'stops while it is starting',
  async () => {
    const run = start();
    while (!run.text().includes('Starting Postgres, Temporal') && run.child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20));
    run.child.kill('SIGTERM');
    expect([await run.ended, run.text()]).toEqual([0, expect.not.stringContaining('is ready')]);
    expect(read('temporal.json')['keeper']).toBeUndefined();
  },
  START_MS,
);

it(
  'logs once that Temporal does not answer, and once that it is back',
  async () => {
    const own = temporaryFolder('main-temporal');
    const port = await ownPort();
    const address = { TEMPORAL_ADDRESS: `127.0.0.1:${port}` };
    const run = start([], { ...address, DATA_DIR: own, CHAIN: 'off', LOG_LEVEL: 'info' });
    await run.until(/TEMPORAL_ADDRESS: Temporal does not answer/);
    const temporal = await startTemporal({
      dataDir: temporaryFolder('main-temporal-server'),
      port,
      log: quietLog,
      executable: await temporalExecutable(toolContext()),
      searchAttributes: DECLARED_SEARCH_ATTRIBUTES,
    });
    await run.until(/Temporal is back/);
    await run.until(READY);
    const warnings = run.text().match(/^.*"level":"(warn|error)".*$/gm);
    expect(warnings).toEqual([
      expect.stringContaining(`TEMPORAL_ADDRESS: Temporal does not answer at 127.0.0.1:${port}.`),
    ]);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    await temporal.stop();
    rmSync(own, { recursive: true, force: true });
  },
  2 * START_MS,
);

describe('prints the error in one line and ends with 2', () => {
  it('for a busy port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const run = start([], { PORT: String(port) });
    expect(await run.ended).toBe(2);
    expect(run.text().trim()).toBe(
      `PORT: another program listens on 127.0.0.1:${port}. Stop it, or choose another port: PORT=${port + 1}`,
    );
    other.close();
  });

  it('for a busy port of Temporal’s UI, and chooses no other', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const run = start([], { TEMPORAL_UI_PORT: String(port) });
    expect(await run.ended).toBe(2);
    expect(run.text().trim().split('\n').at(-1)).toBe(
      `TEMPORAL_UI_PORT: another program listens on 127.0.0.1:${port}. Stop it, or choose another port: TEMPORAL_UI_PORT=${port + 1}`,
    );
    other.close();
  });

  it('for a data folder of a release before 1.0.0, which stays unchanged', async () => {
    const old = temporaryFolder('main-old');
    mkdirSync(join(old, 'postgres'), { recursive: true });
    writeFileSync(join(old, 'postgres', 'PG_VERSION'), '18\n');
    const run = start([], { DATA_DIR: old });
    expect(await run.ended).toBe(2);
    expect(run.text().trim()).toBe(
      `${old} was made by a release before 1.0.0, which this release does not read: name an empty folder in DATA_DIR.`,
    );
    expect([readdirSync(old), readdirSync(join(old, 'postgres'))]).toEqual([['postgres'], ['PG_VERSION']]);
    rmSync(old, { recursive: true });
  });

  it.each([
    [
      { DATABASE_URL: 'postgres://ada:hush@127.0.0.1:1/cardwright', MASTER_KEYS: KEYS },
      [],
      /^DATABASE_URL: Postgres at 127\.0\.0\.1:1\/cardwright cannot be reached: nothing listens there\.\n$/,
    ],
    [
      { DATABASE_URL: 'postgres://ada:hush@127.0.0.1:1/cardwright', MASTER_KEYS: KEYS },
      ['--role', 'migrate'],
      /^DATABASE_URL: .* nothing listens there\.\n$/,
    ],
    [{ DATA_DIR: '/proc/cardwright' }, [], /^DATA_DIR: \/proc\/cardwright cannot be created .*\n$/],
    [
      { DOCUMENTS_FOLDER: '/proc/documents' },
      [],
      /^DOCUMENTS_FOLDER: \/proc\/documents cannot be created .*\n$/,
    ],
    [{ NODE_ENV: 'production' }, [], /^MODE: must be live or sandbox when NODE_ENV is production\.\n$/],
    [{ PORT: 'high' }, [], /PORT: .*"high"/],
    [{ MASTER_KEYS: 'hush' }, [], /MASTER_KEYS: must be a list of id:key.* \(given: hidden\)/],
    [{}, ['--role', 'worker'], /--role worker needs DATABASE_URL and TEMPORAL_ADDRESS/],
    [
      {},
      ['--role', 'boss'],
      /Allowed choices are all, api, worker, dispatcher, desk, signer, migrate, parties/,
    ],
    [
      { MODE: 'live', MASTER_KEYS: KEYS, PARTY_BANK_URL: 'https://bank.example.com', PARTY_RATES: 'off' },
      [],
      /PARTY_BANK_SECRET: must be given/,
    ],
    [
      { MODE: 'live', MASTER_KEYS: KEYS, PARTY_RATES: 'off' },
      [],
      /PARTY_CARD_PROCESSOR_URL and [^]*PARTY_CARDHOLDER_REVIEW_URL[^]*PARTY_CHECKOUT_URL[^]*PARTY_BANK_URL/,
    ],
    [
      { MODE: 'live', MASTER_KEYS: KEYS },
      ['--role', 'parties'],
      /--role parties serves the simulated parties/,
    ],
  ])('for %j %j', async (environment, args, message) => {
    const run = start(args, environment);
    expect(await run.ended).toBe(2);
    expect(run.text()).toMatch(message);
    expect(run.text()).not.toMatch(/hush|\n\s+at /);
  });
});
