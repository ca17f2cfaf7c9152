/** @long @isolated kills every part of the product. */
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { dispatchers } from '../../src/kernel/temporal/reconciler';
import { SCHEDULES } from '../../src/kernel/temporal/schedules';
import { killAll, START_MS } from '../startup/process';
import { type Received, type Receiver, startReceiver } from '../support/outside/receiver';
import { temporalAt } from '../support/outside/temporal-client';
import { type Credential, type Fleet, startFleet } from '../support/product';
import { until } from '../support/until';
import { ask, isProperlyAway, type Persistent, persistent } from './persistent';

/** Stops each dependency of the product for a while, one after another, under the same API and worker. */

const WHILE_MS = 180_000;

let fleet: Fleet;
let database: Database;
let receiver: Receiver;
let credential: Credential;
let client: Persistent;
let accountId: string;
let userId: string;
let cardholderId: string;
let processes: (number | undefined)[];

beforeAll(async () => {
  fleet = await startFleet();
  receiver = await startReceiver({ http: true });
  database = createDatabase({ url: fleet.databaseUrl, poolSize: 2, name: 'test' });
  credential = await fleet.newTenant();
  client = persistent(fleet, credential);
  const accounts = await client.get('/v1/accounts?limit=100');
  accountId = accounts.data.find((account: { currency: string }) => account.currency === 'USD').id;
  const admin = persistent(fleet, await fleet.newTenant('admin'));
  const deposit = { accountId, amount: '1000.00', reason: 'opening' };
  await admin.send('POST', '/v1/accounts/admin-deposit', deposit, 'opening');
  const meta = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };
  userId = (await client.send('POST', '/v1/users', { meta }, 'user')).body.id;
  const cardholder = { accountId, bin: '44112200' };
  cardholderId = (await client.send('POST', `/v1/users/${userId}/cardholder`, cardholder, 'holder')).body.id;
  await client.send('POST', '/v1/webhooks', { url: `${receiver.url}/well` }, 'register');
  processes = [fleet.api.pid(), fleet.worker.pid()];
}, 2 * START_MS);

afterEach(() => {
  expect([fleet.api.pid(), fleet.worker.pid()]).toEqual(processes);
});

afterAll(async () => {
  await receiver?.close();
  await database?.close();
  await fleet?.close();
  killAll();
});

const cardBody = (label: string) => ({ userId, accountId, cardholderId, label, amount: '10.00' });
const health = async (path: string) => {
  const answer = await ask(fleet, credential, 'GET', path);
  return [answer.status, answer.body];
};
const isReady = async () => (await health('/health/ready'))[0] === 200;

/** One request of each kind: a read, a write with a key, the hot path, a write without a key. */
function requests(name: string) {
  return [
    ['GET', '/v1/accounts', undefined, undefined],
    ['POST', '/v1/users', { externalId: `${name}-keyed` }, `${name}-user`],
    [
      'POST',
      '/sandbox/transactions',
      { cardId: `card_${'0'.repeat(26)}`, type: 'decline' },
      `${name}-decline`,
    ],
    ['POST', '/v1/users', { externalId: `${name}-unkeyed` }, undefined],
  ] as const;
}

async function expectAway(name: string): Promise<void> {
  const asked = requests(name).map(([method, path, body, key]) =>
    ask(fleet, credential, method, path, body, key),
  );
  for (const answer of await Promise.all(asked)) {
    expect([isProperlyAway(answer), answer.text]).toEqual([true, expect.any(String)]);
  }
  expect(await health('/health')).toEqual([200, { status: 'ok', build: expect.any(String) }]);
  await until(async () => !(await isReady())); // the process believes an answer of Postgres for a second
  expect(await health('/health/ready')).toEqual([503, expect.objectContaining({ code: 'unavailable' })]);
}

/** Expects that nothing was recorded meanwhile and that everything works again. */
async function expectBack(name: string): Promise<void> {
  await until(isReady);
  const users = `select external_id from users where external_id like '${name}-%'`;
  expect(await database.query(users)).toEqual([]);
  const made = await client.send('POST', '/v1/users', { externalId: `${name}-keyed` }, `${name}-user`);
  expect([made.status, made.headers.get('x-idempotent-replayed')]).toEqual([201, null]);
  expect(await database.query(users)).toHaveLength(1);
  const { id } = (await client.send('POST', '/v1/cards', cardBody('plain'), `${name}-card`)).body;
  await client.get(`/v1/cards/${id}`, (card) => card.status === 'active');
  await hears(id, 'issue');
}

/** Waits until the client's endpoint has this event of the card. */
function hears(cardId: string, type: string): Promise<void> {
  const isIt = ({ data }: Received['body']) => data['cardId'] === cardId && data['type'] === type;
  return receiver.until(() => receiver.at('/well').some(({ body }) => isIt(body)));
}

it(
  'answers 503 and records nothing while Postgres is stopped, and works again afterwards',
  async () => {
    expect(await isReady()).toBe(true); // so that the process believes in Postgres when it stops
    await fleet.postgres.stop();
    try {
      await expectAway('stopped');
    } finally {
      await fleet.postgres.start();
    }
    await expectBack('stopped');
  },
  WHILE_MS,
);

it(
  'lets no request hang and records nothing while Postgres is frozen, and works again afterwards',
  async () => {
    const frozen = [fleet.postgres.pid(), ...childrenOf(fleet.postgres.pid())];
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    try {
      await expectAway('frozen');
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    await expectBack('frozen');
  },
  WHILE_MS,
);

function childrenOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=']).toString().trim().split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .flatMap(([child, of]) => (of === pid ? [child!] : []));
}

it(
  'accepts a card while Temporal is down, and issues it afterwards',
  async () => {
    await fleet.temporal.stop();
    const accepted = await client.send('POST', '/v1/cards', cardBody('plain'), 'while-temporal-is-away');
    expect([accepted.status, accepted.body.status]).toEqual([201, 'pending']);
    const temporal = async () => (await health('/health/ready'))[1].checks.temporal;
    await until(async () => (await temporal()) === 'down');
    expect(await isReady()).toBe(true); // requests succeed without Temporal
    expect((await client.get(`/v1/cards/${accepted.body.id}`)).status).toBe('pending');
    await fleet.temporal.start();
    await client.get(`/v1/cards/${accepted.body.id}`, (card) => card.status === 'active');
    await hears(accepted.body.id, 'issue');
    await until(async () => (await temporal()) === 'up');
  },
  WHILE_MS,
);

it(
  "Temporal's store is lost: what was under way goes on",
  async () => {
    const failing = await fleet.newTenant();
    const other = persistent(fleet, failing);
    receiver.answer('/failing', 500);
    await other.send('POST', '/v1/webhooks', { url: `${receiver.url}/failing`, type: 'account' }, 'register');
    const otherAccount = (await other.get('/v1/accounts')).data[0].id;
    const admin = persistent(fleet, await fleet.newTenant('admin'));
    const deposit = { accountId: otherAccount, amount: '1.00', reason: 'to be told' };
    // Five failures in a row mark an endpoint as failing.
    for (const n of [1, 2, 3, 4, 5])
      await admin.send('POST', '/v1/accounts/admin-deposit', deposit, `told-late-${n}`);
    const endpoint = async () => (await other.get('/v1/webhooks')).data[0].status;
    await until(async () => (await endpoint()) === 'failing');
    const slow = (await client.send('POST', '/v1/cards', cardBody('sandbox:slow'), 'slow')).body.id;
    const closing = (await client.send('POST', '/v1/cards', cardBody('sandbox:close-slow'), 'closing')).body
      .id;
    await client.get(`/v1/cards/${closing}`, (card) => card.status === 'active');
    await client.send('DELETE', `/v1/cards/${closing}`, undefined, 'close');

    await fleet.temporal.stop();
    for (const name of ['temporal.db', 'temporal.db-wal', 'temporal.db-shm']) {
      await rm(join(fleet.dataDir, name), { force: true });
    }
    expect((await client.get(`/v1/cards/${slow}`)).status).toBe('pending');
    await age(slow, closing);
    receiver.answer('/failing', 204);
    // Kills the worker before it can begin any work, because the leases of a killed worker last for half a minute.
    await Promise.all([fleet.temporal.start(), fleet.worker.kill9()]);
    processes = [fleet.api.pid(), fleet.worker.pid()];

    await client.get(`/v1/cards/${slow}`, (card) => card.status === 'active');
    const confirmed = 'select 1 from cards where id = $1 and processor_closed_at is not null';
    await until(async () => (await database.query(confirmed, [closing])).length > 0);
    await until(async () => (await endpoint()) === 'active');
    expect(receiver.at('/failing').at(-1)?.headers['x-idempotency-key']).toMatch(/^told-late-\d$/);
    await client.send('POST', `/v1/cards/${slow}/freeze`, undefined, 'freeze');
    await hears(slow, 'freeze');
    expect(await running()).toEqual({
      schedules: SCHEDULES.map(({ id }) => id).sort(),
      dispatchers: dispatchers()
        .map(({ workflowId }) => workflowId)
        .sort(),
    });
    expect(await fleet.operator('ledger', 'check')).toMatchObject({ code: 0 });
  },
  2 * WHILE_MS,
);

/** Makes the cards look unchanged for five minutes, after which the reconciler reads them. */
async function age(...cards: string[]): Promise<void> {
  await database.query(
    "update cards set updated_at = updated_at - interval '10 minutes' where id = any($1)",
    [cards],
  );
  await database.query(
    "update webhook_endpoints set next_probe_at = now() - interval '10 minutes' where status = 'failing'",
  );
}

async function running(): Promise<{ schedules: string[]; dispatchers: string[] }> {
  const temporal = temporalAt(fleet.temporalAddress);
  try {
    const schedules = [];
    for await (const { scheduleId } of temporal.client.schedule.list()) schedules.push(scheduleId);
    const found = new Set<string>();
    const query = "WorkflowType = 'webhookDispatcher' and ExecutionStatus = 'Running'";
    for await (const { workflowId } of temporal.client.workflow.list({ query })) found.add(workflowId);
    return { schedules: schedules.sort(), dispatchers: [...found].sort() };
  } finally {
    await temporal.close();
  }
}
