/** @long */
import { type TestApi } from '../../../support/api';
import { isSigned, type Receiver } from '../../../support/outside/receiver';
import { until } from '../../../support/until';
import { append, endpointOf, eventsOf, register } from '../support';
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

it('sends the exact bytes, signed, with the headers of the contract', async () => {
  const { client, path } = await world.tenant();
  const [id] = await append(api, client, { idempotencyKey: 'key-1' });
  await append(api, client);
  world.dispatch();
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
  await until(world.all(client, 'delivered'));
  expect(await eventsOf(api, client)).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
});

it('reads URL and secret again for each attempt', async () => {
  const { client, path } = await world.tenant();
  world.dispatch();
  await append(api, client);
  await receiver.until(() => receiver.at(path).length === 1);
  const rotated = await client.call('POST', '/v1/client/secret/rotate', {});
  await register(client, `${receiver.url}/elsewhere`, 'card');
  await new Promise((resolve) => setTimeout(resolve, 1_100)); // a secret is cached for a second
  const [id] = await append(api, client);
  await receiver.until(() => receiver.at('/elsewhere').length === 1);
  const [moved] = receiver.at('/elsewhere');
  expect(moved?.body.data).toMatchObject({ id });
  expect(isSigned(moved!, rotated.body.clientSecret)).toBe(true);
  expect(isSigned(moved!, client.clientSecret)).toBe(false);
  expect(receiver.at(path)).toHaveLength(1);
});

it('sends at most eight events at once to an endpoint, in time order', async () => {
  const { client, path } = await world.tenant();
  receiver.answer(path, async (_request, response) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    response.writeHead(204).end();
  });
  const ids = await append(api, client, { count: 120 });
  world.dispatch();
  await until(world.all(client, 'delivered'));
  expect(receiver.mostAtOnce(path)).toBeLessThanOrEqual(8);
  expect(receiver.mostAtOnce(path)).toBeGreaterThan(1);
  const order = receiver.at(path).map((one) => ids.indexOf(one.body.data['id']));
  expect([...order].sort((a, b) => a - b)).toEqual(ids.map((_, index) => index));
  // Concurrent attempts may overtake each other, but no others.
  for (const [place, index] of order.entries()) expect(Math.abs(place - index)).toBeLessThan(8);
});

it('is not slowed down by endpoints that hang or fail', async () => {
  const dead = await Promise.all(Array.from({ length: 40 }, () => world.tenant()));
  for (const [index, { client, path }] of dead.entries()) {
    receiver.answer(path, index % 2 === 0 ? 'hang' : 500);
    await append(api, client, { count: 30 });
  }
  const { client, path } = await world.tenant();
  await append(api, client, { count: 300 });
  world.dispatch({ timeoutMs: 15_000 });
  await until(world.all(client, 'delivered'));
  expect(receiver.at(path)).toHaveLength(300);
  // They still hang, each with its first event.
  for (const [index, one] of dead.entries()) {
    if (index % 2 === 0) expect(receiver.at(one.path).length).toBe(1);
  }
  receiver.received.splice(0);
  for (const one of dead) receiver.answer(one.path, 204);
  receiver.closeConnections();
});

it('ends an attempt after its time limit, and counts it as failed', async () => {
  const { client, path } = await world.tenant();
  receiver.answer(path, 'hang');
  await append(api, client);
  world.dispatch({ timeoutMs: 300 });
  await until(async () => (await eventsOf(api, client))[0]?.last_error === 'timeout');
  expect(await eventsOf(api, client)).toMatchObject([{ delivery: 'due', attempts: 1 }]);
});

it('judges an answer by its status, even if its body never ends', async () => {
  const { client, path } = await world.tenant();
  receiver.answer(path, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('x'.repeat(200_000)); // longer than the limit that is read, and never ended
  });
  await append(api, client, { count: 3 });
  world.dispatch();
  await until(world.all(client, 'delivered'));
});

it('sends again on a new connection when a kept one was closed', async () => {
  const { client, path } = await world.tenant();
  world.dispatch();
  await append(api, client);
  await until(world.all(client, 'delivered'));
  let broken = false;
  receiver.answer(path, (_request, response) => {
    if (broken) response.writeHead(204).end();
    else response.destroy();
    broken = true;
  });
  await append(api, client);
  await until(world.all(client, 'delivered'));
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active' });
});

it('sends the events of a killed process again after its lease, with the same bytes', async () => {
  const { client, path } = await world.tenant();
  await append(api, client, { count: 3 });
  await api.database.query(
    `update events set leased_until = now() + interval '1 hour' where tenant_id = $1`,
    [client.clientId],
  );
  await append(api, client);
  world.dispatch();
  await until(async () => (await eventsOf(api, client)).some((row) => row.delivery === 'delivered'));
  expect(receiver.at(path).length).toBe(1); // the fourth, because the killed process holds the others
  await api.database.query(
    `update events set leased_until = now() - interval '1 second' where tenant_id = $1 and delivery = 'due'`,
    [client.clientId],
  );
  await until(world.all(client, 'delivered'));
  const [row] = await api.database.query<{ event: string; data: string }>(
    'select event, data from events where tenant_id = $1 order by number limit 1',
    [client.clientId],
  );
  const bytes = receiver.at(path).map((one) => one.raw.toString('utf8'));
  expect(bytes).toContain(`{"event":"${row?.event}","data":${row?.data}}`);
  expect(new Set(bytes).size).toBe(4);
});

it('never sends an event twice at once with several dispatchers', async () => {
  const { client, path } = await world.tenant();
  receiver.answer(path, async (_request, response) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    response.writeHead(204).end();
  });
  const ids = await append(api, client, { count: 300 });
  world.dispatch();
  world.dispatch();
  world.dispatch();
  await until(world.all(client, 'delivered'));
  const came = receiver.at(path).map((one) => one.body.data['id'] as string);
  expect(came.length).toBe(300);
  expect(new Set(came)).toEqual(new Set(ids));
});

it('claims no more events than it can send', async () => {
  const { client, path } = await world.tenant();
  receiver.answer(path, 'hang');
  for (let batch = 0; batch < 10; batch += 1) await append(api, client, { count: 1_000 });
  world.dispatch({ timeoutMs: 5_000 });
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
  await client.call('DELETE', '/v1/webhooks'); // undelivered events would make later tests hang
  receiver.closeConnections();
});

it('keeps its limit over all endpoints, and serves them all', async () => {
  const tenants = await Promise.all(Array.from({ length: 6 }, () => world.tenant()));
  for (const { client } of tenants) await append(api, client, { count: 100 });
  let most = 0;
  world.dispatch({ maxClaimed: 20 });
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
  const { client } = await world.tenant();
  world.dispatch();
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
  // The pool may still hold connections that have ended without its notice.
  await until(() =>
    world
      .all(client, 'delivered')()
      .catch(() => false),
  );
});
