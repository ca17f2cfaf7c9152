/** @long @isolated launches the product. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { DemoCredentials } from '../../src/startup/demo-credentials';
import { stillRuns } from '../../src/startup/embedded/process-identity';
import { command } from '../support/operator';
import { temporaryFolder } from '../support/servers';
import { embeddedServers, killAll, START_MS, start as startProcess } from './process';

const dataDir = temporaryFolder('main');
afterAll(() => {
  killAll();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (args: string[] = [], environment: Record<string, string> = {}) =>
  startProcess(args, { DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...environment });
const KEY = Buffer.alloc(32, 7).toString('base64');
const READY = /Cardwright is ready/;

const path = (name: string) => join(dataDir, name);
const read = (name: string) => JSON.parse(readFileSync(path(name), 'utf8')) as Record<string, any>;
const credentials = () => read('credentials.json') as DemoCredentials;

const accounts = ({ baseUrl, client }: DemoCredentials) =>
  fetch(`${baseUrl}/v1/accounts`, {
    headers: { 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret },
  });

it(
  'starts from nothing, serves, stops in order, and is the same at the next start',
  async () => {
    const first = start();
    await first.until(READY);
    const made = credentials();
    expect(statSync(path('credentials.json')).mode & 0o777).toBe(0o600);
    expect(statSync(path('master.key')).mode & 0o777).toBe(0o600);
    expect(first.text()).toContain(made.baseUrl);
    expect(first.text()).toContain(`${made.baseUrl}/docs`);
    expect(first.text()).toContain(path('credentials.json'));
    expect(first.text()).not.toContain(made.client.clientSecret);
    expect((await accounts(made)).status).toBe(200);
    // Whoever can read the folder is its operator, and no others.
    const create = ['client', 'create', '--name', 'Acme'];
    expect((await command({ DATA_DIR: dataDir }, ...create)).code).toBe(0);
    const wrong = { DATA_DIR: dataDir, OPERATOR_SECRET: 'wrong' };
    expect(await command(wrong, ...create)).toMatchObject({ code: 1, out: '' });
    const ready = await fetch(`${made.baseUrl}/health/ready`);
    expect(await ready.json()).toEqual({ status: 'ok', checks: { postgres: 'up', temporal: 'up' } });
    const metrics = /http:\S+\/metrics/.exec(first.text())?.[0] ?? '';
    expect(await (await fetch(metrics)).text()).toContain('route="/health/ready"');
    expect((await fetch(made.temporalUi ?? '')).status).toBe(200);

    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.text()).toMatch(/Another process \(\d+\) already runs on/);

    const networks = await fetch(`${made.baseUrl}/v1/networks`, {
      headers: { 'x-client-id': made.client.clientId, 'x-client-secret': made.client.clientSecret },
    });
    expect(await networks.json()).toMatchObject({ data: [{ chain: 'local', enabled: true }] });

    const servers = await embeddedServers(dataDir);
    expect(servers).toHaveLength(3);
    first.child.kill('SIGINT');
    expect([await first.ended, first.text().includes('Stopping')]).toEqual([0, true]);
    for (const server of servers) expect(await stillRuns(server)).toBe(false);

    const third = start([], { CHAIN: 'off' });
    await third.until(READY);
    expect([first.text().includes('Local chain'), third.text().includes('Local chain')]).toEqual([
      true,
      false,
    ]);
    expect(read('chain.json')['server']).toBeUndefined();
    expect(credentials().client).toEqual(made.client);
    expect((await accounts(credentials())).status).toBe(200);
    third.child.kill('SIGTERM');
    expect(await third.ended).toBe(0);
  },
  2 * START_MS,
);

it(
  'stops while it is starting',
  async () => {
    const run = start();
    while (!run.text().includes('Starting Temporal') && run.child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20));
    run.child.kill('SIGTERM');
    expect([await run.ended, run.text()]).toEqual([0, expect.not.stringContaining('is ready')]);
    expect(read('temporal.json')['keeper']).toBeUndefined();
  },
  START_MS,
);

describe('says what is wrong in one line, and ends with 1', () => {
  it('for a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const run = start([], { PORT: String(port) });
    expect(await run.ended).toBe(1);
    expect(run.text().trim()).toBe(
      `PORT: another program listens on 127.0.0.1:${port}. Stop it, or choose another port: PORT=${port + 1}`,
    );
    other.close();
  });

  it.each([
    [{ PORT: 'high' }, [], /PORT: .*"high"/],
    [{ MASTER_KEY: 'hush' }, [], /MASTER_KEY: must be 32 bytes in base64 \(given: hidden\)/],
    [{}, ['--role', 'worker'], /--role worker needs DATABASE_URL and TEMPORAL_ADDRESS/],
    [{}, ['--role', 'boss'], /Allowed choices are all, api, worker, migrate, parties/],
    [
      { MODE: 'live', MASTER_KEY: KEY, PARTY_BANK_URL: 'https://bank.example.com', PARTY_RATES: 'off' },
      [],
      /PARTY_BANK_SECRET: must be given/,
    ],
    [
      { MODE: 'live', MASTER_KEY: KEY, PARTY_RATES: 'off' },
      [],
      /PARTY_CARD_PROCESSOR_URL and [^]*PARTY_CARDHOLDER_REVIEW_URL[^]*PARTY_CHECKOUT_URL[^]*PARTY_BANK_URL/,
    ],
    [{ MODE: 'live', MASTER_KEY: KEY }, ['--role', 'parties'], /--role parties serves the simulated parties/],
  ])('for %j %j', async (environment, args, message) => {
    const run = start(args, environment);
    expect(await run.ended).toBe(1);
    expect(run.text()).toMatch(message);
    expect(run.text()).not.toMatch(/hush|\n\s+at /);
  });
});
