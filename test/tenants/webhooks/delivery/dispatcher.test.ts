import { type Client, type TestApi, testApi } from '../../../support/api';
import { isSigned, type Receiver, startReceiver, until } from '../../../support/outside/receiver';
import { aboutToFail, append, dispatching, endpointOf, eventsOf, register, retryNow } from '../support';

let api: TestApi;
let receiver: Receiver;
let running: { stop(): Promise<unknown> }[] = [];
beforeAll(async () => {
  [api, receiver] = await Promise.all([testApi(), startReceiver()]);
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop()));
  running = [];
});
afterAll(async () => {
  await receiver.close();
  await api.close();
});

let paths = 0;
async function tenant(type: 'card' | 'account' = 'card') {
  const client = await api.client();
  paths += 1;
  const path = `/hook-${paths}?a=b`;
  await register(client, receiver.url + path, type);
  return { client, path };
}

function dispatch(options: Parameters<typeof dispatching>[1] = {}) {
  const one = dispatching(api, { ca: receiver.ca, ...options });
  running.push(one);
  return one;
}

const all = (client: Client, delivery: string) => async () =>
  (await eventsOf(api, client)).every((row) => row.delivery === delivery);

it('sends the exact bytes, signed, with the headers of the contract', async () => {
  const { client, path } = await tenant();
  const [id] = await append(api, client, { idempotencyKey: 'key-1' });
  await append(api, client);
  dispatch();
  await receiver.until(() => receiver.at(path).length === 2);
  const [first, second] = receiver.at(path);
  expect(first?.raw.toString('utf8')).toBe(
    `{"event":"card_transaction","data":{"id":"${id}","amount":"10.00","note":"Zürich ✓"}}`,
  );
  expect(isSigned(first!, client.clientSecret)).toBe(true);
  expect(first?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-client-id': client.clientId,
    'x-idempotency-key': 'key-1',
    'content-length': String(first?.raw.length),
  });
  expect(second?.headers).not.toHaveProperty('x-idempotency-key');
  expect(first?.headers['x-signature']).toMatch(/^[0-9a-f]{64}$/);
  await until(all(client, 'delivered'));
  expect(await eventsOf(api, client)).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
});

it('reads the URL and the secret anew', async () => {
  const { client, path } = await tenant();
  dispatch();
  await append(api, client);
  await receiver.until(() => receiver.at(path).length === 1);
  const rotated = await client.call('POST', '/v1/client/secret/rotate', {});
  await register(client, `${receiver.url}/elsewhere`, 'card');
  await new Promise((resolve) => setTimeout(resolve, 1_100)); // a secret is kept for a second
  const [id] = await append(api, client);
  await receiver.until(() => receiver.at('/elsewhere').length === 1);
  const [moved] = receiver.at('/elsewhere');
  expect(moved?.body.data).toMatchObject({ id });
  expect(isSigned(moved!, rotated.body.clientSecret)).toBe(true);
  expect(isSigned(moved!, client.clientSecret)).toBe(false);
  expect(receiver.at(path)).toHaveLength(1);
});

it.each([
  [500, 'http_500'],
  [301, 'http_301'],
  [404, 'http_404'],
])(
  'takes %i for a failure, and after five what else is due waits without using up attempts',
  async (status, code) => {
    const { client, path } = await tenant();
    receiver.answer(path, (_request, response) => {
      response.writeHead(status, { location: `${receiver.url}/redirected` }).end();
    });
    await append(api, client, { count: 20 });
    dispatch();
    await until(async () => (await endpointOf(api, client))?.status === 'failing');
    await append(api, client);
    await retryNow(api, client);
    await new Promise((resolve) => setTimeout(resolve, 400)); // two looks
    expect(receiver.at(path)).toHaveLength(5);
    expect(receiver.at('/redirected')).toHaveLength(0);
    const rows = await eventsOf(api, client);
    for (const row of rows.slice(0, 5))
      expect(row).toMatchObject({ delivery: 'due', attempts: 1, last_error: code, leased_until: null });
    expect(rows.slice(5)).toHaveLength(16);
    for (const row of rows.slice(5))
      expect(row).toMatchObject({ delivery: 'due', attempts: 0, leased_until: null });
    expect(api.commands.filter(({ tenantId }) => tenantId === client.clientId)).toMatchObject([
      {
        workflow: 'webhookRecovery',
        workflowId: `webhook-recovery-${client.clientId}-card`,
        action: 'look',
        args: [{ tenantId: client.clientId, registration: 'card' }],
      },
    ]);
  },
);

const idOf = (request: { body: { data: Record<string, unknown> } }) => String(request.body.data['id']);
/** Until its first event is to be tried. */
const waitsOf = async (client: Client) => {
  const [row] = await api.database.query<{ seconds: string }>(
    'select extract(epoch from due_at - clock_timestamp()) as seconds from events where tenant_id = $1 order by number limit 1',
    [client.clientId],
  );
  return Number(row?.seconds);
};

it('tries an event that is refused again in its lane, and its endpoint takes all others at once', async () => {
  const { client, path } = await tenant();
  const [bad] = await append(api, client);
  receiver.answer(path, (request, response) => {
    response.writeHead(idOf(request) === bad ? 500 : 204).end();
  });
  dispatch();
  for (const [tried, wait] of [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200].entries()) {
    await until(async () => (await eventsOf(api, client))[0]?.attempts === tried + 1);
    expect((await eventsOf(api, client))[0]).toMatchObject({ delivery: 'due', last_error: 'http_500' });
    expect(await waitsOf(client)).toBeGreaterThan(wait * 0.9 - 4);
    expect(await waitsOf(client)).toBeLessThanOrEqual(wait * 1.1);
    // The only one that is due, it is refused five times in a row and more: that says nothing of the endpoint.
    expect(await endpointOf(api, client)).toMatchObject({ status: 'active', recent_failures: 1 });
    await retryNow(api, client);
  }
  await until(async () => (await eventsOf(api, client))[0]?.delivery === 'failed');
  await append(api, client, { count: 30 });
  await until(async () =>
    (await eventsOf(api, client)).slice(1).every((row) => row.delivery === 'delivered'),
  );
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active' });
  expect(api.commands.filter(({ tenantId }) => tenantId === client.clientId)).toEqual([]);
});

it.each([
  ['nothing else waits', 0, 3_600],
  ['another event waits', 1, 5],
])(
  'begins a recovery at the first interval, or when Retry-After is over where %s',
  async (_, others, wait) => {
    const { client, path } = await tenant();
    receiver.answer(path, (_request, response) => {
      response.writeHead(503, { 'retry-after': '3600' }).end();
    });
    await append(api, client, { count: 1 + others });
    await aboutToFail(api, client);
    dispatch({ random: () => 0.5 });
    await until(async () => (await endpointOf(api, client))?.status === 'failing');
    expect(await waitsOf(client)).toBeGreaterThan(3_500); // the event itself
    const endpoint = await endpointOf(api, client);
    expect(endpoint?.probes).toBe(0);
    const seconds = (endpoint!.next_probe_at!.getTime() - endpoint!.failing_since!.getTime()) / 1_000;
    expect(seconds).toBeGreaterThanOrEqual(wait - 1); // one clock says when the event is due, another when the probe is
    expect(seconds).toBeLessThanOrEqual(wait);
  },
);

it('begins a recovery at the first interval, however often what is refused has been tried', async () => {
  const { client, path } = await tenant();
  receiver.answer(path, 500);
  await append(api, client, { count: 1 });
  dispatch({ random: () => 0.5 });
  await until(async () => (await eventsOf(api, client))[0]?.attempts === 1);
  await api.database.query('update events set attempts = 7 where tenant_id = $1', [client.clientId]);
  await aboutToFail(api, client);
  await retryNow(api, client);
  await until(async () => (await eventsOf(api, client))[0]?.attempts === 8);
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active', recent_failures: 15 });
  await append(api, client);
  await until(async () => (await endpointOf(api, client))?.status === 'failing');
  const { next_probe_at, failing_since } = (await endpointOf(api, client))!;
  expect(next_probe_at!.getTime() - failing_since!.getTime()).toBeLessThanOrEqual(5_500);
});

it.each([
  [2, 'failing'],
  [3, 'active'],
])('takes one in %i that fails for an endpoint that is %s: half of its last twenty', async (nth, status) => {
  const { client, path } = await tenant();
  const ids = await append(api, client, { count: 60 });
  receiver.answer(path, (request, response) => {
    response.writeHead(ids.indexOf(idOf(request)) % nth === 0 ? 500 : 204).end();
  });
  dispatch();
  const tried = async () => (await eventsOf(api, client)).filter(({ attempts }) => attempts > 0).length;
  if (status === 'active') await until(async () => (await tried()) === 60);
  else await until(async () => (await endpointOf(api, client))?.status === 'failing');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await endpointOf(api, client)).toMatchObject({ status });
  const came = receiver.at(path).length;
  if (status === 'failing') {
    expect(came).toBeGreaterThanOrEqual(19); // the tenth failure
    expect(came).toBeLessThanOrEqual(30);
  }
});

it('writes nothing to an endpoint that takes everything, and forgets failures that lie far enough back', async () => {
  const { client, path } = await tenant();
  dispatch();
  const versionOf = async () =>
    (
      await api.database.query<{ xmin: string }>(
        'select xmin::text from webhook_endpoints where tenant_id = $1',
        [client.clientId],
      )
    )[0]?.xmin;
  const before = await versionOf();
  await append(api, client, { count: 20 });
  await until(all(client, 'delivered'));
  expect(await versionOf()).toBe(before);
  await aboutToFail(api, client);
  await append(api, client, { count: 1 });
  await until(all(client, 'delivered'));
  await until(async () => (await endpointOf(api, client))?.recent_failures === 30);
  receiver.answer(path, 500);
  await append(api, client);
  await until(async () => (await endpointOf(api, client))?.recent_failures === 61);
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active' });
  receiver.answer(path, 204);
  await retryNow(api, client);
  await append(api, client, { count: 30 });
  await until(all(client, 'delivered'));
  await until(async () => (await endpointOf(api, client))?.recent_failures === 0);
});

it('disables an endpoint that answers 410, and parks what is due to it', async () => {
  const { client, path } = await tenant();
  receiver.answer(path, 410);
  await append(api, client, { count: 5 });
  dispatch();
  await until(all(client, 'parked'));
  expect(await endpointOf(api, client)).toMatchObject({ status: 'disabled', next_probe_at: null });
  await append(api, client);
  expect((await eventsOf(api, client)).map((row) => row.delivery)).toEqual(Array(6).fill('parked'));
  expect(receiver.at(path)).toHaveLength(1);
});

it('has at most eight under way at an endpoint, in time order', async () => {
  const { client, path } = await tenant();
  receiver.answer(path, async (_request, response) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    response.writeHead(204).end();
  });
  const ids = await append(api, client, { count: 120 });
  dispatch();
  await until(all(client, 'delivered'));
  expect(receiver.mostAtOnce(path)).toBeLessThanOrEqual(8);
  expect(receiver.mostAtOnce(path)).toBeGreaterThan(1);
  const order = receiver.at(path).map((one) => ids.indexOf(one.body.data['id']));
  expect([...order].sort((a, b) => a - b)).toEqual(ids.map((_, index) => index));
  // Those under way at once may overtake one another, and no more than that.
  for (const [place, index] of order.entries()) expect(Math.abs(place - index)).toBeLessThan(8);
});

it('is not slowed by endpoints that hang or fail', async () => {
  const dead = await Promise.all(Array.from({ length: 40 }, () => tenant()));
  for (const [index, { client, path }] of dead.entries()) {
    receiver.answer(path, index % 2 === 0 ? 'hang' : 500);
    await append(api, client, { count: 30 });
  }
  const { client, path } = await tenant();
  await append(api, client, { count: 300 });
  dispatch({ timeoutMs: 15_000 });
  await until(all(client, 'delivered'));
  expect(receiver.at(path)).toHaveLength(300);
  // They hang still: each with the one event that it was tried with.
  for (const [index, one] of dead.entries()) {
    if (index % 2 === 0) expect(receiver.at(one.path).length).toBe(1);
  }
  receiver.received.splice(0);
  for (const one of dead) receiver.answer(one.path, 204);
  receiver.closeConnections();
});

it('gives an attempt up after its time, and counts it as failed', async () => {
  const { client, path } = await tenant();
  receiver.answer(path, 'hang');
  await append(api, client);
  dispatch({ timeoutMs: 300 });
  await until(async () => (await eventsOf(api, client))[0]?.last_error === 'timeout');
  expect(await eventsOf(api, client)).toMatchObject([{ delivery: 'due', attempts: 1 }]);
});

it('counts an answer by its status, however its body ends', async () => {
  const { client, path } = await tenant();
  receiver.answer(path, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('x'.repeat(200_000)); // more than is read, and never ended
  });
  await append(api, client, { count: 3 });
  dispatch();
  await until(all(client, 'delivered'));
});

it('sends again over a new connection when a kept one was closed', async () => {
  const { client, path } = await tenant();
  dispatch();
  await append(api, client);
  await until(all(client, 'delivered'));
  let broken = false;
  receiver.answer(path, (_request, response) => {
    if (broken) response.writeHead(204).end();
    else response.destroy();
    broken = true;
  });
  await append(api, client);
  await until(all(client, 'delivered'));
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active' });
});

it('sends what a killed process had in hand again, once its lease has ended: the same bytes', async () => {
  const { client, path } = await tenant();
  await append(api, client, { count: 3 });
  await api.database.query(
    `update events set leased_until = now() + interval '1 hour' where tenant_id = $1`,
    [client.clientId],
  );
  await append(api, client);
  dispatch();
  await until(async () => (await eventsOf(api, client)).some((row) => row.delivery === 'delivered'));
  expect(receiver.at(path).length).toBe(1); // the fourth: the others are in another's hands
  await api.database.query(
    `update events set leased_until = now() - interval '1 second' where tenant_id = $1 and delivery = 'due'`,
    [client.clientId],
  );
  await until(all(client, 'delivered'));
  const [row] = await api.database.query<{ event: string; data: string }>(
    'select event, data from events where tenant_id = $1 order by number limit 1',
    [client.clientId],
  );
  const bytes = receiver.at(path).map((one) => one.raw.toString('utf8'));
  expect(bytes).toContain(`{"event":"${row?.event}","data":${row?.data}}`);
  expect(new Set(bytes).size).toBe(4);
});

it('never sends an event twice at once, however many dispatchers there are', async () => {
  const { client, path } = await tenant();
  receiver.answer(path, async (_request, response) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    response.writeHead(204).end();
  });
  const ids = await append(api, client, { count: 300 });
  dispatch();
  dispatch();
  dispatch();
  await until(all(client, 'delivered'));
  const came = receiver.at(path).map((one) => one.body.data['id'] as string);
  expect(came.length).toBe(300);
  expect(new Set(came)).toEqual(new Set(ids));
});

it('claims no more than it can send, however many events wait', async () => {
  const { client, path } = await tenant();
  receiver.answer(path, 'hang');
  for (let batch = 0; batch < 10; batch += 1) await append(api, client, { count: 1_000 });
  dispatch({ timeoutMs: 5_000 });
  await receiver.until(() => receiver.at(path).length > 0);
  let most = 0;
  for (let look = 0; look < 20; look += 1) {
    const [row] = await api.database.query<{ count: string }>(
      'select count(*) from events where tenant_id = $1 and leased_until > now()',
      [client.clientId],
    );
    most = Math.max(most, Number(row?.count));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(most).toBe(1);
  await client.call('DELETE', '/v1/webhooks'); // what is left waits for nobody: later tests would hang on it
  receiver.closeConnections();
});

it('keeps to its limit over all endpoints, and serves them all', async () => {
  const tenants = await Promise.all(Array.from({ length: 6 }, () => tenant()));
  for (const { client } of tenants) await append(api, client, { count: 100 });
  let most = 0;
  dispatch({ maxClaimed: 20 });
  await until(async () => {
    const [row] = await api.database.query<{ leased: string; due: string }>(
      `select count(*) filter (where leased_until > now()) as leased, count(*) filter (where delivery = 'due') as due
         from events where tenant_id = any ($1)`,
      [tenants.map(({ client }) => client.clientId)],
    );
    most = Math.max(most, Number(row?.leased));
    return Number(row?.due) === 0;
  });
  expect(most).toBeLessThanOrEqual(20);
});

it('delivers after the database was away', async () => {
  const { client } = await tenant();
  dispatch();
  await append(api, client, { count: 50 });
  await api.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`,
  );
  const appended = () =>
    append(api, client).then(
      () => true,
      () => false,
    );
  await until(appended);
  await until(all(client, 'delivered'));
});
