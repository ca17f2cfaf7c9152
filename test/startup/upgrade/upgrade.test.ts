/** @long @isolated launches two versions of the product beside each other. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { typescriptOf } from '../../../scripts/unpack-commit';
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { Decimal } from '../../../src/kernel/money/money';
import { createTemporalClient, type TemporalClient } from '../../../src/kernel/temporal/connection';
import { runtimeUrl } from '../../../src/startup/embedded/postgres/connection';
import { ask } from '../../chaos/persistent';
import { LANE_NAMES, openTenant, startTraffic, type Tenant, type Traffic } from '../../chaos/traffic';
import { masterKeysText, testKeyring } from '../../support/keyring';
import { command } from '../../support/operator';
import { type HttpBalancer, startHttpBalancer } from '../../support/outside/http-balancer';
import { type Receiver, startReceiver } from '../../support/outside/receiver';
import { ownPort } from '../../support/own-port';
import { type Credential, type Fleet, type Kept, startFleet } from '../../support/product';
import { until } from '../../support/until';
import { killAll, START_MS } from '../process';
import { type TwoVersions, twoVersions } from './versions';

/**
 * An upgrade and the way back under load, in the order of docs/operating.md: migrate, workers and dispatchers, signer, API, desk. Each
 * role of one version runs beside the other for a while. No request fails, and nothing is lost or doubled.
 */

/** Roles that find their work themselves, so that no balancer knows them. */
const BY_QUEUES = ['worker', 'dispatcher', 'signer'] as const;

/** How long two versions of a role run beside each other, and how long each version runs alone. */
const BESIDE_MS = 4_000;
const OPENING = '400000.00';
const RUN_MS = 400_000;

let versions: TwoVersions;
let fleet: Fleet;
let api: HttpBalancer;
let desk: HttpBalancer;
let receiver: Receiver;
let database: Database;
let temporal: TemporalClient;
let tenant: Tenant;
let traffic: Traffic;
let person: NodeJS.ProcessEnv;
let signIns: ReturnType<typeof keepSigningIn>;
const roles: Kept[] = [];
const exits: [name: string, code: number | string | null][] = [];
/** How long each stop has taken. */
const seconds: string[] = [];

/** Runs a command of the installation, by the program of a version. @returns its standard output */
async function installation(folder: string, ...argv: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...typescriptOf(folder), 'src/startup/installation/main.ts', ...argv],
    { cwd: folder, env: { PATH: process.env['PATH'], ...ofInstallation() } },
  );
  return stdout;
}

const ofInstallation = () => ({
  DATABASE_URL: runtimeUrl(fleet.databaseUrl),
  DATABASE_OWNER_URL: fleet.databaseUrl,
  MASTER_KEYS: masterKeysText(fleet.masterKey),
  DATA_DIR: fleet.dataDir,
});

const operator = (...argv: string[]) => command(person, ...argv);

async function newTenant(role: 'client' | 'admin'): Promise<Credential> {
  const { out, err } = await operator('client', 'create', '--name', 'Acme', '--role', role, '--json');
  expect(err).toBe('');
  return JSON.parse(out) as Credential;
}

/** Operators sign in at the desk, one after another, and read a list. */
function keepSigningIn() {
  let going = true;
  const answers: string[] = [];
  const ended = (async () => {
    for (; going; await sleep(300)) {
      const { code, err } = await operator('client', 'list', '--json');
      answers.push(code === 0 ? 'read' : err);
    }
  })();
  return {
    answers,
    async stop() {
      going = false;
      await ended;
    },
  };
}

interface Running {
  worker: Kept;
  dispatcher: Kept;
  signer: Kept;
  api: Kept;
  apiUrl: string;
  desk: Kept;
  deskUrl: string;
}

/** Starts the roles of a version, which get no requests yet. The worker works at once. */
async function startRoles(folder: string): Promise<Running> {
  const [port, deskPort] = [await ownPort(), await ownPort()];
  const [worker, dispatcher, signer, ownApi, ownDesk] = await Promise.all([
    fleet.another('worker', {}, folder),
    fleet.another('dispatcher', {}, folder),
    fleet.another('signer', {}, folder),
    fleet.another('api', { PORT: String(port) }, folder),
    fleet.another('desk', { DESK_PORT: String(deskPort) }, folder),
  ]);
  roles.push(worker, dispatcher, signer, ownApi, ownDesk);
  const [apiUrl, deskUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${deskPort}`];
  return { worker, dispatcher, signer, api: ownApi, apiUrl, desk: ownDesk, deskUrl };
}

async function enter(balancer: HttpBalancer, ...urls: [string, string?]): Promise<void> {
  balancer.add(...urls);
  await until(() => balancer.isIn(urls[0]));
}

/** Ends a role by SIGTERM. */
async function stop(name: string, role: Kept): Promise<void> {
  const began = performance.now();
  exits.push([name, await role.stop()]);
  seconds.push(`${name} ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

/** Replaces the roles by those of another version, in the order of docs/operating.md. */
async function replace(before: Running, folder: string): Promise<Running> {
  const next = await startRoles(folder);
  await sleep(BESIDE_MS);
  for (const name of BY_QUEUES) await stop(name, before[name]);
  await enter(api, next.apiUrl);
  await sleep(BESIDE_MS);
  await stop('api', before.api);
  await enter(desk, next.deskUrl, next.desk.metricsUrl());
  await sleep(BESIDE_MS);
  await stop('desk', before.desk);
  await sleep(BESIDE_MS);
  return next;
}

beforeAll(async () => {
  versions = await twoVersions();
  [api, desk] = await Promise.all([startHttpBalancer(), startHttpBalancer()]);
  fleet = await startFleet(
    {
      PUBLIC_URL: api.url,
      SANDBOX_PARTIES_URL: api.url,
      DRAIN_SECONDS: '2',
      SHUTDOWN_SECONDS: '20',
    },
    versions.old,
  );
  roles.push(fleet.api, fleet.worker, fleet.signer);
  await enter(api, fleet.baseUrl);
  api.lost.length = 0; // The worker has asked the sandbox's parties before an API was in.
  receiver = await startReceiver({ http: true });
  database = createDatabase({ url: fleet.databaseUrl, poolSize: 2, name: 'test' });
  temporal = createTemporalClient(
    { address: fleet.temporalAddress, namespace: 'default', encrypt: false },
    testKeyring(),
  );
  const deskPort = await ownPort();
  const deskUrl = `http://127.0.0.1:${deskPort}`;
  const [oldDesk, dispatcher] = await Promise.all([
    fleet.another('desk', { DESK_PORT: String(deskPort) }, versions.old),
    fleet.another('dispatcher', {}, versions.old),
  ]);
  roles.push(oldDesk, dispatcher);
  await enter(desk, deskUrl, oldDesk.metricsUrl());
  const made = JSON.parse(await installation(versions.old, 'operator', 'add', '--name', 'ida', '--json'));
  person = {
    DESK_URL: desk.url,
    DATA_DIR: fleet.dataDir,
    OPERATOR_NAME: 'ida',
    OPERATOR_SECRET: made.operatorSecret,
    OPERATOR_SESSION: join(fleet.dataDir, 'session.json'),
  };
  const credential = await newTenant('client');
  for (const type of ['account', 'transfer', 'payout', 'deposit', 'card'])
    await ask({ baseUrl: api.url }, credential, 'POST', '/v1/webhooks', { url: receiver.url, type });
  tenant = await openTenant({ baseUrl: api.url }, credential, await newTenant('admin'));
  traffic = startTraffic([api.url], tenant);
  signIns = keepSigningIn();
  await until(
    () => traffic.refused.length > 0 || LANE_NAMES.every((name) => (traffic.done.get(name) ?? 0) > 2),
  );
  const { worker, signer, api: oldApi, baseUrl: apiUrl } = fleet;
  const old: Running = { worker, dispatcher, signer, api: oldApi, apiUrl, desk: oldDesk, deskUrl };
  await fleet.migrate(versions.next);
  const next = await replace(old, versions.next);
  await replace(next, versions.old);
  await fleet.migrate(versions.old);
  await traffic.stop();
  await signIns.stop();
}, START_MS + RUN_MS);

afterAll(async () => {
  await traffic?.stop();
  await signIns?.stop();
  await temporal?.close();
  await receiver?.close();
  await database?.close();
  await fleet?.close();
  await Promise.all([api?.close(), desk?.close()]);
  versions?.remove();
  killAll();
});

it('runs roles of two builds', () => {
  console.log(
    `${versions.told}: ${seconds.join(', ')}`,
    Object.fromEntries(traffic.done),
    signIns.answers.length,
  );
  const builds = roles.flatMap((role) => /"build":"([^"]+)".*"started"/.exec(role.text())?.[1] ?? []);
  expect(new Set(builds).size).toBe(2);
});

it('refuses no request, at the API and at the desk', () => {
  expect([api.lost, desk.lost]).toEqual([[], []]);
  expect(traffic.refused).toEqual([]);
  expect(Math.min(...LANE_NAMES.map((name) => traffic.done.get(name) ?? 0))).toBeGreaterThan(20);
  expect(new Set(signIns.answers)).toEqual(new Set(['read']));
  expect(signIns.answers.length).toBeGreaterThan(20);
});

it('ends each stopped role in order, and none by itself', () => {
  const once = [...BY_QUEUES, 'api', 'desk'].map((name) => [name, 0]);
  expect(exits).toEqual([...once, ...once]);
  for (const role of roles) expect(role.failures()).toBe(0);
});

const recordOf = async (path: string) =>
  (await ask({ baseUrl: api.url }, tenant.credential, 'GET', path)).body;

it('completes each payout and each deposit once, and the books agree', async () => {
  for (const path of [...traffic.payouts, ...traffic.deposits])
    await until(async () => (await recordOf(path)).status === 'completed');
  let expected = new Decimal(OPENING);
  for (const path of traffic.payouts) expected = expected.minus((await recordOf(path)).totalDebit);
  for (const path of traffic.deposits) expected = expected.plus((await recordOf(path)).creditedAmount);
  expect((await recordOf(`/v2/accounts/${tenant.accountId}/balance`)).available).toBe(expected.toFixed(2));
  expect(
    await database.query("select count(*)::int from card_transactions where type = 'authorization'"),
  ).toEqual([{ count: traffic.done.get('authorizations') }]);
  expect(await command(ofInstallation(), 'ledger', 'check')).toMatchObject({ code: 0 });
  expect(await database.query('select kind, subject from breaks where resolved_at is null')).toEqual([]);
});

it('delivers each webhook once', async () => {
  const open = () =>
    database.query<{ count: number }>("select count(*)::int from events where delivery = 'due'");
  await until(async () => (await open())[0]?.count === 0);
  const [told] = await database.query<{ count: number }>(
    "select count(*)::int from events where delivery = 'delivered'",
  );
  const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  expect(new Set(ids).size).toBe(told?.count);
  expect(ids).toHaveLength(told?.count ?? -1);
});

it('leads each workflow of a transfer to its end, and fails no workflow task', async () => {
  const unlike: string[] = [];
  for await (const { workflowId, runId } of temporal.client.workflow.list()) {
    const { events } = await temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
    // A signal that arrives during a task ends the attempt, and is no failure of the code.
    for (const { workflowTaskFailedEventAttributes: failed } of events ?? [])
      if (failed && !/unhandled.?command/i.test(`${failed.cause} ${failed.failure?.message}`))
        unlike.push(`${workflowId}: ${failed.cause} ${failed.failure?.message}`);
  }
  expect(unlike).toEqual([]);
  for (const role of roles) expect(role.text()).not.toMatch(/TMPRL1100|[Nn]on-?determinis/);
  const idOf = (path: string) => path.split('/').at(-1);
  const ids = [
    ...traffic.payouts.map((path) => `payout-lifecycle-${idOf(path)}`),
    ...traffic.deposits.map((path) => `deposit-${idOf(path)}`),
  ];
  await until(async () => {
    const states = await Promise.all(ids.map((id) => temporal.client.workflow.getHandle(id).describe()));
    return states.every(({ status }) => status.name === 'COMPLETED');
  });
});
