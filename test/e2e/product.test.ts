/** @long @isolated launches the product. */
import { spawn } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cardwright } from '../../client/src';
import { stillRuns } from '../../src/startup/embedded/process-identity';
import { embeddedServers, START_MS, start } from '../startup/process';
import { command } from '../support/operator';
import { startWhole } from '../support/product';
import { temporaryFolder } from '../support/servers';
import { until } from '../support/until';
import { DEMO_MS, installation } from './installation';

/** The first hour of a new user: `npm start`, `npm run demo`, Ctrl-C, and their failures. */

const ROOT = join(__dirname, '../..');
const world = installation();
const { dataDir } = world;

function callers() {
  const { baseUrl, client, admin } = world.whole.credentials;
  return { client: cardwright({ baseUrl, ...client }), admin: cardwright({ baseUrl, ...admin }) };
}
const users = () => callers().client.listUsers();

const servers = () => embeddedServers(dataDir);

/** Starts a webhook receiver that answers 500 and keeps the bodies. */
async function startRefusing() {
  const refused: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => refused.push(text));
    request.on('end', () => response.writeHead(500).end());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  function close() {
    server.closeAllConnections();
    server.close();
  }
  return { url, refused, close };
}

/** Returns tenants and URLs of all registered webhooks. */
async function registered(): Promise<[string, string][]> {
  const { out } = await command({ DATA_DIR: dataDir }, 'webhooks', 'list', '--json');
  const endpoints = JSON.parse(out) as { client: string; url: string }[];
  return endpoints.map(({ client, url }) => [client, url]);
}

it('prints all addresses, and keeps secrets in files that only their owner may read', async () => {
  const { credentials, run } = world.whole;
  for (const told of [credentials.baseUrl, `${credentials.baseUrl}/docs`, credentials.temporalUi ?? '?'])
    expect(run.text()).toContain(told);
  expect(run.text()).toContain(join(dataDir, 'credentials.json'));
  expect(run.text()).not.toContain(credentials.client.clientSecret);
  for (const name of ['credentials.json', 'master.key', 'postgres.json'])
    expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([name, 0o600]);
});

it('serves documentation, OpenAPI document, health and metrics', async () => {
  const { baseUrl } = world.whole.credentials;
  const docs = await fetch(`${baseUrl}/docs`);
  expect([docs.status, docs.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/html'),
  ]);
  const page = await docs.text();
  expect(page.match(/(?:src|href)="(?:https?:)?\/\//g)).toBeNull();
  const openapi = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Record<string, any>;
  expect(openapi['openapi']).toMatch(/^3\.1\./);
  expect(openapi['paths']).toHaveProperty(['/v1/cards', 'post']);
  const ready = await fetch(`${baseUrl}/health/ready`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ok', checks: { postgres: 'up', temporal: 'up', workers: 'up' } },
  ]);
  expect(await (await fetch(world.whole.metricsUrl)).text()).toContain('database_connections{');
  expect((await fetch(`${baseUrl}/metrics`)).status).not.toBe(200); // metrics have their own port
});

it(
  'runs the demo, whose balances agree',
  async () => {
    const { code, text } = await world.demo();
    expect([code, text]).toEqual([0, expect.stringContaining('The webhooks and the balances agree.')]);
    expect(text).toContain(' 0 with a wrong signature');
  },
  DEMO_MS,
);

it(
  'runs the demo on a new tenant, so that the demo client’s webhook and its waiting event stay unchanged',
  async () => {
    const { client: credential } = world.whole.credentials;
    const { client, admin } = callers();
    const receiver = await startRefusing();
    try {
      await client.setWebhook({ body: { url: receiver.url } });
      const [account] = (await client.listAccounts({ query: { currency: 'USD' } })).data;
      const deposit = { accountId: account?.id ?? '', amount: '10.00', reason: 'before the demo' };
      await admin.creditAccount({ body: deposit });
      await until(() => receiver.refused.length > 0);
      const before = await registered();
      expect(before).toContainEqual([credential.clientId, receiver.url]);

      const { code, text } = await world.demo();
      expect([code, text]).toEqual([0, expect.stringContaining('The webhooks and the balances agree.')]);
      expect(await registered()).toEqual(before);
      expect([...new Set(receiver.refused)]).toEqual([expect.stringContaining('"amount":"10.00"')]);
    } finally {
      await client.deleteWebhook();
      receiver.close();
    }
  },
  DEMO_MS,
);

it(
  'ends the demo quietly and removes its webhook when the output’s reader has gone',
  async () => {
    const child = spawn('npm', ['run', '--silent', 'demo'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir, npm_config_loglevel: 'error' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let complaints = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaints += chunk.toString('utf8');
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, complaints]).toEqual([0, '']);
    expect(await registered()).toEqual([]);
  },
  DEMO_MS,
);

it(
  'keeps its data over Ctrl-C and a new start, and leaves no process behind',
  async () => {
    const meta = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };
    await callers().client.createUser({ body: { meta } });
    const before = await users();
    expect(before.data.length).toBeGreaterThan(0);
    const { client: credential } = world.whole.credentials;
    const running = await servers();
    expect(running).toHaveLength(3);

    expect(await world.whole.stop('SIGINT')).toBe(0);
    for (const server of running) expect(await stillRuns(server)).toBe(false);

    world.whole = await startWhole(dataDir);
    expect(world.whole.credentials.client).toEqual(credential);
    expect(await users()).toEqual(before);
  },
  2 * START_MS,
);

it(
  'takes over servers that a SIGKILL left behind, and the demo works',
  async () => {
    const before = await users();
    const left = await servers();
    await world.whole.kill9();
    for (const server of left) expect(await stillRuns(server)).toBe(true);

    world.whole = await startWhole(dataDir);
    // A server is kept, or replaced if it did not answer in time. There is never a second server beside the first.
    const kept = (await servers()).map(({ pid }) => pid);
    expect(kept).toHaveLength(3);
    for (const server of left) expect(await stillRuns(server)).toBe(kept.includes(server.pid));
    expect(await users()).toEqual(before);
    const { code, text } = await world.demo();
    expect([code, text]).toEqual([0, expect.stringContaining('The webhooks and the balances agree.')]);
  },
  2 * START_MS + DEMO_MS,
);

it(
  'restarts its servers when they are killed',
  async () => {
    const killed = await servers();
    for (const server of killed) process.kill(server.pid, 'SIGKILL');
    const deadline = Date.now() + START_MS;
    const isReady = async () =>
      (await fetch(`${world.whole.credentials.baseUrl}/health/ready`)).status === 200;
    while ((await Promise.all(killed.map(stillRuns))).includes(true) || !(await isReady())) {
      if (Date.now() > deadline) throw new Error(`it does not come back:\n${world.whole.run.text()}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { code, text } = await world.demo();
    expect([code, text]).toEqual([0, expect.stringContaining('The webhooks and the balances agree.')]);
  },
  START_MS + DEMO_MS,
);

it(
  'refuses a second start, a wrong port and a busy port with one clear line',
  async () => {
    const busy = new URL(world.whole.credentials.baseUrl).port;
    const cases: [Record<string, string>, RegExp][] = [
      [{ DATA_DIR: dataDir }, /^Another process \(\d+\) already runs on .*Stop it, or set DATA_DIR/],
      [
        { PORT: busy },
        new RegExp(`^PORT: another program listens on 127.0.0.1:${busy}\\. Stop it, or choose`),
      ],
      [{ PORT: '99999' }, /^PORT: must be a whole number .*\(given: "99999"\)\.$/],
      [{ PORT: 'http' }, /^PORT: must be a whole number .*\(given: "http"\)\.$/],
    ];
    for (const [environment, message] of cases) {
      const other = temporaryFolder('e2e');
      const run = start([], { DATA_DIR: other, ...environment });
      expect([await run.ended, run.text().trim()]).toEqual([2, expect.stringMatching(message)]);
      rmSync(other, { recursive: true, force: true });
    }
    expect((await fetch(`${world.whole.credentials.baseUrl}/health`)).status).toBe(200);
  },
  START_MS,
);
