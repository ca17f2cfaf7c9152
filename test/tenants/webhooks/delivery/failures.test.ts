/** @long */
import { type Client, type TestApi } from '../../../support/api';
import { type Receiver } from '../../../support/outside/receiver';
import { until } from '../../../support/until';
import { aboutToFail, append, endpointOf, eventsOf, retryNow } from '../support';
import { type DispatcherWorld, dispatcherWorld } from './world';

let world: DispatcherWorld;
let api: TestApi;
let receiver: Receiver;
beforeAll(async () => {
  world = await dispatcherWorld();
  ({ api, receiver } = world);
});
afterEach(() => world.stop());
afterAll(() => world.close());

it.each([
  [500, 'http_500'],
  [301, 'http_301'],
  [404, 'http_404'],
])(
  'counts %i as a failure, and after five keeps other events waiting without counting attempts',
  async (status, code) => {
    const { client, path } = await world.tenant();
    receiver.answer(path, (_request, response) => {
      response.writeHead(status, { location: `${receiver.url}/redirected` }).end();
    });
    await append(api, client, { count: 20 });
    world.dispatch();
    await until(async () => (await endpointOf(api, client))?.status === 'failing');
    await append(api, client);
    await retryNow(api, client);
    await new Promise((resolve) => setTimeout(resolve, 400)); // two polls
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
/** Waits until its first event is due. */
const waitsOf = async (client: Client) => {
  const [row] = await api.database.query<{ seconds: string }>(
    'select extract(epoch from due_at - clock_timestamp()) as seconds from events where tenant_id = $1 order by number limit 1',
    [client.clientId],
  );
  return Number(row?.seconds);
};

it('retries a refused event in its lane while the endpoint accepts all others', async () => {
  const { client, path } = await world.tenant();
  const [bad] = await append(api, client);
  receiver.answer(path, (request, response) => {
    response.writeHead(idOf(request) === bad ? 500 : 204).end();
  });
  world.dispatch();
  for (const [tried, wait] of [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200].entries()) {
    await until(async () => (await eventsOf(api, client))[0]?.attempts === tried + 1);
    expect((await eventsOf(api, client))[0]).toMatchObject({ delivery: 'due', last_error: 'http_500' });
    expect(await waitsOf(client)).toBeGreaterThan(wait * 0.9 - 4);
    expect(await waitsOf(client)).toBeLessThanOrEqual(wait * 1.1);
    // The only due event is refused more than five times in a row, which does not count against the endpoint.
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
])('starts a recovery at the first interval, or after Retry-After where %s', async (_, others, wait) => {
  const { client, path } = await world.tenant();
  receiver.answer(path, (_request, response) => {
    response.writeHead(503, { 'retry-after': '3600' }).end();
  });
  await append(api, client, { count: 1 + others });
  await aboutToFail(api, client);
  world.dispatch({ random: () => 0.5 });
  await until(async () => (await endpointOf(api, client))?.status === 'failing');
  expect(await waitsOf(client)).toBeGreaterThan(3_500); // the event itself
  const endpoint = await endpointOf(api, client);
  expect(endpoint?.probes).toBe(0);
  const seconds = (endpoint!.next_probe_at!.getTime() - endpoint!.failing_since!.getTime()) / 1_000;
  expect(seconds).toBeGreaterThanOrEqual(wait - 1); // due times and probe times come from different clocks
  expect(seconds).toBeLessThanOrEqual(wait);
});

it('starts a recovery at the first interval for any number of earlier attempts', async () => {
  const { client, path } = await world.tenant();
  receiver.answer(path, 500);
  await append(api, client, { count: 1 });
  world.dispatch({ random: () => 0.5 });
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
])(
  'treats an endpoint with one failure in %i as %s, by half of its last twenty attempts',
  async (nth, status) => {
    const { client, path } = await world.tenant();
    const ids = await append(api, client, { count: 60 });
    receiver.answer(path, (request, response) => {
      response.writeHead(ids.indexOf(idOf(request)) % nth === 0 ? 500 : 204).end();
    });
    world.dispatch();
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
  },
);

it('writes nothing to an endpoint that accepts everything, and forgets old failures', async () => {
  const { client, path } = await world.tenant();
  world.dispatch();
  const versionOf = async () =>
    (
      await api.database.query<{ xmin: string }>(
        'select xmin::text from webhook_endpoints where tenant_id = $1',
        [client.clientId],
      )
    )[0]?.xmin;
  const before = await versionOf();
  await append(api, client, { count: 20 });
  await until(world.all(client, 'delivered'));
  expect(await versionOf()).toBe(before);
  await aboutToFail(api, client);
  await append(api, client, { count: 1 });
  await until(world.all(client, 'delivered'));
  await until(async () => (await endpointOf(api, client))?.recent_failures === 30);
  receiver.answer(path, 500);
  await append(api, client);
  await until(async () => (await endpointOf(api, client))?.recent_failures === 61);
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active' });
  receiver.answer(path, 204);
  await retryNow(api, client);
  await append(api, client, { count: 30 });
  await until(world.all(client, 'delivered'));
  await until(async () => (await endpointOf(api, client))?.recent_failures === 0);
});

it('disables an endpoint that answers 410, and parks its due events', async () => {
  const { client, path } = await world.tenant();
  receiver.answer(path, 410);
  await append(api, client, { count: 5 });
  world.dispatch();
  await until(world.all(client, 'parked'));
  expect(await endpointOf(api, client)).toMatchObject({ status: 'disabled', next_probe_at: null });
  await append(api, client);
  expect((await eventsOf(api, client)).map((row) => row.delivery)).toEqual(Array(6).fill('parked'));
  expect(receiver.at(path)).toHaveLength(1);
});
