import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { newId } from '../../../src/kernel/ids';
import { createFailedSignIns } from '../../../src/tenants/clients/failed-sign-ins';
import { type TestApi, testApi } from '../../support/api';
import { type TestDatabase, testDatabase } from '../../support/database';

interface Row {
  actor: string;
  action: string;
  subject: string;
  after: { address: string; failures: number };
}

let test: TestDatabase;
let clock: number;
let observed: number;
beforeAll(async () => {
  test = await testDatabase();
});
beforeEach(() => {
  clock = 0;
  observed = 0;
});
afterAll(() => test.drop());

const start = (windowMs = 60_000) =>
  createFailedSignIns(
    {
      database: test.database,
      log: pino({ level: 'silent' }),
      observeFailedSignIn: () => (observed += 1),
    },
    { now: () => clock, windowMs },
  );

const rowsOf = (address: string) =>
  test.database.query<Row>(
    `select actor, action, subject, after from audit_log where after->>'address' = $1 order by id`,
    [address],
  );

it('audits the first failure at once, and the count of the others a minute later', async () => {
  const failed = start(50);
  const clientId = newId('tenant');
  for (let each = 0; each < 500; each += 1) failed.note('198.51.100.1', clientId);
  await sleep(200);
  await failed.stop();
  const row = { actor: 'api', action: 'client.refuse', subject: clientId };
  expect(await rowsOf('198.51.100.1')).toEqual([
    { ...row, after: { address: '198.51.100.1', failures: 1 } },
    { ...row, after: { address: '198.51.100.1', failures: 499 } },
  ]);
  expect(observed).toBe(500);
});

it('writes the counts that are left when the process stops', async () => {
  const failed = start();
  const clientId = newId('tenant');
  for (let each = 0; each < 3; each += 1) failed.note('198.51.100.2', clientId);
  await failed.stop();
  expect((await rowsOf('198.51.100.2')).map(({ after }) => after.failures)).toEqual([1, 2]);
});

it('adds few rows for many ids of an address, and for many addresses', async () => {
  const failed = start();
  for (let each = 0; each < 300; each += 1) failed.note('198.51.100.3', newId('tenant'));
  for (let each = 0; each < 2_000; each += 1) failed.note(`10.1.${each >> 8}.${each & 255}`, newId('tenant'));
  await failed.stop();
  const own = await rowsOf('198.51.100.3');
  expect(own).toHaveLength(12);
  expect(own.slice(-2)).toMatchObject([
    { subject: 'various', after: { failures: 1 } },
    { subject: 'various', after: { failures: 289 } },
  ]);
  const [{ count } = { count: 0 }] = await test.database.query<{ count: number }>(
    `select count(*)::int as count from audit_log where after->>'address' like '10.1.%'`,
  );
  expect(count).toBeLessThanOrEqual(100);
  expect((await rowsOf('various')).map(({ after }) => after.failures)).toEqual([1, 2_000 - count - 1]);
});

it('never stores a claimed id that is none, because it may be a secret', async () => {
  const failed = start();
  const note = () => failed.note('198.51.100.4', 'Bearer a-secret-in-the-wrong-place');
  const delays = Array.from({ length: 20 }, note);
  expect(delays).toEqual(Array(20).fill(0));
  await failed.stop();
  expect(await rowsOf('198.51.100.4')).toMatchObject([
    { subject: 'malformed', after: { failures: 1 } },
    { subject: 'malformed', after: { failures: 19 } },
  ]);
});

it('counts the addresses of one IPv6 network together', async () => {
  const failed = start();
  const clientId = newId('tenant');
  for (let each = 1; each <= 20; each += 1) failed.note(`2001:db8:1:2::${each}`, clientId);
  await failed.stop();
  expect((await rowsOf('2001:db8:1:2::/64')).map(({ after }) => after.failures)).toEqual([1, 19]);
});

it('delays an address after ten failures, longer and longer, until it has been quiet for a minute', async () => {
  const failed = start();
  const note = () => failed.note('198.51.100.5', newId('tenant'));
  const delays = Array.from({ length: 17 }, note);
  expect(delays).toEqual([...Array<number>(10).fill(0), 100, 200, 400, 800, 1_600, 2_000, 2_000]);
  expect(failed.note('198.51.100.6', newId('tenant'))).toBe(0);
  clock += 59_000;
  expect(note()).toBe(2_000);
  clock += 60_000;
  expect(note()).toBe(0);
  await failed.stop();
});

describe('over HTTP', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await testApi();
  });
  afterAll(() => api.close());

  it('slows wrong secrets of an address, and answers the right one from there at once', async () => {
    const client = await api.client();
    await client.call('GET', '/v1/accounts');
    const wrong = { 'x-client-secret': 'wrong' };
    const timed = async (headers?: Record<string, string>) => {
      const begun = performance.now();
      const { status } = await client.call('GET', '/v1/accounts', undefined, headers);
      return { status, ms: performance.now() - begun };
    };
    for (let each = 0; each < 13; each += 1) expect((await timed(wrong)).status).toBe(401);
    let isSlowedAnswered = false;
    const slowed = timed(wrong).finally(() => (isSlowedAnswered = true));
    expect((await timed()).status).toBe(200);
    expect(isSlowedAnswered).toBe(false);
    const last = await slowed;
    expect(last.status).toBe(401);
    expect(last.ms).toBeGreaterThan(700);
    const audited = await api.database.query<Row>(
      `select subject, after from audit_log where action = 'client.refuse'`,
    );
    expect(audited).toEqual([{ subject: client.clientId, after: { address: '127.0.0.1', failures: 1 } }]);
  });

  it('does not count requests without a credential', async () => {
    const before = await api.database.query('select 1 from audit_log');
    for (let each = 0; each < 20; each += 1) expect((await api.call('GET', '/v1/accounts')).status).toBe(401);
    expect(await api.database.query('select 1 from audit_log')).toHaveLength(before.length);
  });
});
