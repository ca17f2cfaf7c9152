import { type Client, type TestApi, testApi } from '../support/api';
import { isSigned, type Receiver, startReceiver, until } from '../support/receiver';
import { append, dispatching, endpointOf, eventsOf, register } from './support';

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
