import { Webhook } from 'standardwebhooks';
import { type Client, type TestApi } from '../../support/api';
import { isSigned, type Received, type Receiver } from '../../support/outside/receiver';
import { until } from '../../support/until';
import { type DispatcherWorld, dispatcherWorld } from './delivery/world';
import { append, eventsOf, retryNow } from './support';

let world: DispatcherWorld;
let api: TestApi;
let receiver: Receiver;
beforeAll(async () => {
  world = await dispatcherWorld();
  ({ api, receiver } = world);
});
afterEach(() => world.stop());
afterAll(() => world.close());

const keyOf = async (client: Client): Promise<string> => {
  const { status, body } = await client.call('GET', '/v1/webhooks/signing-key');
  expect(status).toBe(200);
  return body.key;
};

/** @throws Error of the library when the signature is wrong */
const verified = (key: string, { raw, headers }: Received) =>
  new Webhook(key).verify(raw.toString('utf8'), headers as Record<string, string>);

/** A secret is cached for a second. */
const secretsRead = () => new Promise((resolve) => setTimeout(resolve, 1_100));

const rotated = async (client: Client, overlapSeconds: number): Promise<Client> => {
  const { status, body } = await client.call('POST', '/v1/client/secret/rotate', { overlapSeconds });
  expect(status).toBe(201);
  const credential = { 'x-client-id': body.clientId, 'x-client-secret': body.clientSecret };
  return {
    ...body,
    call: (method, path, given, headers) => api.call(method, path, given, { ...credential, ...headers }),
  };
};

it('is verified by the library of Standard Webhooks, with the key of the API', async () => {
  const { client, path } = await world.tenant();
  const key = await keyOf(client);
  expect(key).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await append(api, client);
  world.dispatch();
  await receiver.until(() => receiver.at(path).length === 1);
  const [first] = receiver.at(path);
  expect(verified(key, first!)).toEqual(first!.body);
  expect(isSigned(first!, client.clientSecret)).toBe(true);
  const changed = { ...first!, raw: Buffer.from(first!.raw.toString().replace('10.00', '10.01')) };
  expect(() => verified(key, changed)).toThrow('No matching signature');
  expect(() => verified(key, { ...first!, headers: { ...first!.headers, 'webhook-id': 'evt_1' } })).toThrow();
});

it('derives a key for each tenant, and refuses callers without a credential', async () => {
  const [one, other] = await Promise.all([api.client(), api.client()]);
  expect(await keyOf(one)).not.toBe(await keyOf(other));
  expect(await keyOf(one)).toBe(await keyOf(one));
  expect((await api.call('GET', '/v1/webhooks/signing-key')).status).toBe(401);
});

it('keeps the id in every attempt, which is that of the event in the API', async () => {
  const { client, path } = await world.tenant();
  receiver.answer(path, 500);
  await append(api, client);
  world.dispatch();
  await receiver.until(() => receiver.at(path).length === 1);
  await until(async () => (await eventsOf(api, client))[0]?.attempts === 1);
  receiver.answer(path, 204);
  await retryNow(api, client);
  await receiver.until(() => receiver.at(path).length === 2);
  const ids = receiver.at(path).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(1);
  const { status, body } = await client.call('GET', `/v1/events/${String(ids[0])}`);
  expect([status, body.id]).toEqual([200, ids[0]]);
});

it('signs for both secrets while a rotated one overlaps, and tells the rotation', async () => {
  const { client, path } = await world.tenant('account');
  const oldKey = await keyOf(client);
  const renewed = await rotated(client, 600);
  const newKey = await keyOf(renewed);
  expect(newKey).not.toBe(oldKey);
  world.dispatch();
  await receiver.until(() => receiver.at(path).length === 1);
  const [told] = receiver.at(path);
  expect(told?.body).toEqual({
    event: 'client.secret_rotated',
    data: {
      id: expect.stringMatching(/^evt_/),
      clientId: client.clientId,
      overlapEndsAt: expect.any(String),
      timestamp: expect.any(String),
      name: 'main',
    },
  });
  expect(told?.headers['webhook-id']).toBe(told?.body.data['id']);
  expect(String(told?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  for (const key of [oldKey, newKey]) expect(verified(key, told!)).toEqual(told!.body);
  expect(isSigned(told!, renewed.clientSecret)).toBe(true);
  const found = await renewed.call('GET', `/v1/events?recordId=${client.clientId}`);
  expect(found.body.data).toMatchObject([{ event: 'client.secret_rotated', recordId: client.clientId }]);
});

it('signs for the new secret alone when the old one has ended', async () => {
  const { client, path } = await world.tenant('account');
  const oldKey = await keyOf(client);
  const renewed = await rotated(client, 0);
  world.dispatch();
  await receiver.until(() => receiver.at(path).length === 1);
  const [told] = receiver.at(path);
  expect(told?.body.data['overlapEndsAt']).toEqual(expect.any(String));
  expect(verified(await keyOf(renewed), told!)).toEqual(told!.body);
  expect(() => verified(oldKey, told!)).toThrow('No matching signature');
});

it('signs for a secret that ends while the process knows it, no longer than a second', async () => {
  const { client, path } = await world.tenant();
  world.dispatch();
  await append(api, client);
  await receiver.until(() => receiver.at(path).length === 1);
  await api.database.query(
    `update credentials set expires_at = clock_timestamp() + interval '1 hour' where tenant_id = $1`,
    [client.clientId],
  );
  await secretsRead();
  await append(api, client);
  await receiver.until(() => receiver.at(path).length === 2);
  expect(receiver.at(path)[1]?.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
});
