import { createWebhookActivities } from '../../../activities/webhooks';
import { countByHour } from '../../../src/cards/events/history';
import { advanceAllocation } from '../../../src/chain/wallets/allocations/end';
import { databaseTime } from '../../../src/kernel/db/clock';
import { findMovement } from '../../../src/kernel/ledger/movements';
import { createProductClock, keepProductClock, readOffsetSeconds } from '../../../src/kernel/product-clock';
import { clockRoutes } from '../../../src/process/clock/routes';
import { keepClock } from '../../../src/startup/clock';
import { createStages } from '../../../src/startup/stages';
import { insertNetwork } from '../../chain/wallets/support';
import { type Client, type TestApi, testApi } from '../../support/api';
import { activeCard, fund, masterAccount } from '../../support/cards';
import { until } from '../../support/until';

let api: TestApi;
let client: Client;
let admin: Client;
/** The machine's time stands still, so that every difference is the clock's. */
const machine = { at: new Date() };

beforeAll(async () => {
  api = await testApi({ now: () => machine.at });
  await insertNetwork(api.database);
  [client, admin] = [await api.client(), await api.client('admin')];
});
afterAll(() => api.close());

const HOUR_MS = 3_600_000;
const offset = () => readOffsetSeconds(api.database);
const advance = (duration: unknown, headers: Record<string, string> = {}) =>
  admin.call('POST', '/sandbox/clock', { advance: duration }, headers);

it('starts with the time of the machine', async () => {
  expect((await admin.call('GET', '/sandbox/clock')).body).toEqual({
    now: machine.at.toISOString(),
    offsetSeconds: 0,
  });
});

it.each(['PT0S', 'P0D', '-PT1H', 'P401D', 'PT9601H', 'P1M', 'P1Y', 'P', 'PT', 'P1DT', '24h', '', 24, null])(
  'refuses to advance by %j, and leaves no trace',
  async (given) => {
    const before = await offset();
    const { status, body } = await advance(given);
    expect([status, body.field]).toEqual([400, 'advance']);
    expect(await offset()).toBe(before);
  },
);

it('is for admins only', async () => {
  for (const [method, body] of [['GET'], ['POST', { advance: 'PT1H' }]] as const)
    expect((await client.call(method, '/sandbox/clock', body)).status).toBe(403);
  expect(await offset()).toBe(0);
});

it('does not exist in live mode', () => {
  expect(clockRoutes({ ...api.services, mode: 'live' })).toEqual([]);
});

it('advances once under one key, and writes down who did it', async () => {
  const before = await offset();
  const key = { 'x-idempotency-key': 'a-day' };
  const [first, second] = [await advance('PT24H', key), await advance('PT24H', key)];
  expect(first.status).toBe(200);
  expect(second.text).toBe(first.text);
  expect(await offset()).toBe(before + 86_400);
  const lines = await api.database.query(
    `select actor, before, after from audit_log where action = 'sandbox.clock' order by id`,
  );
  expect(lines).toEqual([
    {
      actor: admin.clientId,
      before: { offsetSeconds: before },
      after: { offsetSeconds: before + 86_400 },
    },
  ]);
});

it('adds parallel advances', async () => {
  const before = await offset();
  const answers = await Promise.all(Array.from({ length: 20 }, () => advance('PT1M')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await offset()).toBe(before + 20 * 60);
});

it('refuses a live start on a database whose clock was advanced', async () => {
  await advance('PT1S');
  await expect(keepClock('live', api.services, createStages(api.services.log))).rejects.toThrow(
    'was advanced by a sandbox',
  );
});

it('reaches the other processes within a second', async () => {
  const another = createProductClock(() => machine.at);
  await another.read(api.database);
  let refreshed = 0;
  const kept = keepProductClock(another, api.database, async () => {
    refreshed += 1;
  });
  try {
    await advance('PT1H');
    await until(() => another.offsetMs() === api.services.productClock.offsetMs());
    await until(() => refreshed === 1);
  } finally {
    await kept.stop();
  }
});

it('moves the time of every connection of the database, with plans that are already kept', async () => {
  const apart = async () => (await databaseTime(api.database)).getTime() - Date.now();
  // More statements than connections, so that each connection has planned this one.
  const all = () =>
    Promise.all(
      Array.from({ length: 40 }, () =>
        api.database.prepared<{ at: Date }>('clock-test', 'select product_now() as at', []),
      ),
    );
  const before = await apart();
  await all();
  await advance('P10D');
  const now = Date.now();
  for (const [row] of await all())
    expect(Math.abs((row?.at.getTime() ?? 0) - now - before - 240 * HOUR_MS)).toBeLessThan(60_000);
});

it('costs no call, because Postgres inlines it', async () => {
  const plan = await api.database.query('explain verbose select product_now(), product_now(now())');
  expect(JSON.stringify(plan)).toContain('clock_timestamp() +');
  expect(JSON.stringify(plan)).not.toContain('product_');
});

it('stamps new entries with the new time, and finds them by their ids', async () => {
  const before = await offset();
  const { id: cardId } = await activeCard(api, client);
  await advance('P3D');
  const { body } = await client.call('POST', '/sandbox/transactions', {
    cardId,
    type: 'authorization',
    amount: '1.00',
  });
  const ahead = (Date.parse(body.timestamp) - Date.now()) / 1_000;
  expect(Math.abs(ahead - before - 3 * 86_400)).toBeLessThan(60);
  const [leg] = await api.database.query<{ id: string }>(
    'select id from ledger_legs where listed and id is not null order by at desc limit 1',
  );
  expect(await findMovement(api.database, leg?.id ?? '')).toMatchObject({ id: leg?.id });
});

it('counts events in the hours of the product, although their ids have the time of the machine', async () => {
  const another = await api.client();
  await fund(api, await masterAccount(another), '100.00');
  const { id: cardId } = await activeCard(api, another);
  await advance('P1D');
  const { body } = await another.call('POST', '/sandbox/transactions', {
    cardId,
    type: 'authorization',
    amount: '1.00',
  });
  const at = Date.parse(body.timestamp);
  const from = new Date(at - (at % HOUR_MS));
  const period = { from, to: new Date(from.getTime() + HOUR_MS) };
  expect(await countByHour(api.database, ['authorization'], period)).toEqual([
    { at: from, type: 'authorization', declineReason: null, count: 1 },
  ]);
});

it('makes a quote of a deposit expire', async () => {
  const accountId = await masterAccount(client);
  const quote = await client.call('POST', `/v2/accounts/${accountId}/deposit-quote`, {
    method: 'card',
    amount: '10.00',
  });
  await advance('PT16M');
  const answer = await client.call(
    'POST',
    `/v2/accounts/${accountId}/deposits`,
    { quoteId: quote.body.quoteId, returnUrl: 'https://shop.example/back' },
    { 'x-idempotency-key': 'too-late' },
  );
  expect([answer.status, answer.body.code]).toEqual([409, 'quote_expired']);
});

it('gives rates at once after a long advance', async () => {
  await advance('P30D');
  expect(api.services.parties.rates.rate('EUR', 'USD').bid.gt(0)).toBe(true);
});

it('names the time of the next look by the machine, so that workflows wait no longer than they must', async () => {
  const accountId = await masterAccount(client);
  const { body } = await client.call('POST', '/v1/wallets/allocate', {
    chain: 'local',
    asset: 'USDT',
    accountId,
    reference: 'clock',
    ttlSeconds: 3_600,
  });
  const look = () => advanceAllocation(api.services, body.id);
  expect(await look()).toEqual({
    status: 'allocated',
    open: true,
    lookAt: machine.at.getTime() + HOUR_MS,
  });
  api.commands.length = 0;
  await advance('PT1H');
  expect(api.commands).toContainEqual(
    expect.objectContaining({ action: 'look', workflowId: `wallet-allocation-${body.id}` }),
  );
  expect(await look()).toMatchObject({ status: 'expired', open: false });
});

it('makes the retry of a webhook due', async () => {
  const { clientId: tenantId } = client;
  await client.call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/' });
  await api.database.query(
    `update webhook_endpoints set status = 'failing', failing_since = product_now(), probes = 3,
            next_probe_at = product_now() + interval '1 hour' where tenant_id = $1`,
    [tenantId],
  );
  const [endpoint] = await api.database.query<{ registration: 'card'; next: Date }>(
    'select registration, next_probe_at as next from webhook_endpoints where tenant_id = $1',
    [tenantId],
  );
  const read = () =>
    createWebhookActivities(api.services).readWebhookRecovery({
      tenantId,
      registration: endpoint?.registration ?? 'card',
    });
  const before = await offset();
  expect((await read()).nextProbeAt).toBe((endpoint?.next.getTime() ?? 0) - before * 1_000);
  await advance('PT1H');
  expect((await read()).nextProbeAt).toBeLessThanOrEqual(Date.now());
});
