import { randomBytes } from 'node:crypto';
import { openKeyring } from '../../../src/kernel/security/installation-keys';
import { type Client, type TestApi, testApi } from '../../support/api';
import { urlOf } from '../../support/database';
import { masterKeysOf, masterKeysText, testKeyring } from '../../support/keyring';
import { command } from '../../support/operator';
import { isSigned, type Receiver, startReceiver } from '../../support/outside/receiver';
import { createUser } from '../../support/uploads';
import { append, dispatching, register } from '../webhooks/support';

const old = randomBytes(32);
const OLD = masterKeysText(old);
const FRESH = masterKeysText(randomBytes(32), 'fresh');

let api: TestApi;
let receiver: Receiver;
let client: Client;
let person: string;
beforeAll(async () => {
  const keyring = testKeyring(old);
  [api, receiver] = await Promise.all([testApi({ keyring }), startReceiver()]);
  client = await api.client();
  person = `/v1/users/${await createUser(client, { firstName: 'Ada' })}`;
  await register(client, `${receiver.url}/hook`, 'account');
});
afterAll(async () => {
  await receiver.close();
  await api.close();
});

/** Requests that need a credential's hash, a person's sealed data and a sealed secret, until `isOver`. @returns their statuses */
async function load(by: Client, isOver: () => boolean): Promise<Set<string>> {
  const statuses = new Set<string>();
  const paths = ['/v1/accounts', person, '/v1/webhooks/signing-key'];
  while (!isOver())
    for (const path of paths) {
      const { status } = await by.call('GET', path);
      statuses.add(`${status} ${path}`);
    }
  return statuses;
}

/** Webhooks of the tenant that arrive from now on, and whether each is signed by its secret. */
async function told(from: TestApi, count: number): Promise<boolean[]> {
  const before = receiver.received.length;
  const dispatcher = dispatching(from, { ca: receiver.ca });
  await append(from, client, { registration: 'account', count });
  await receiver.until(() => receiver.received.length === before + count);
  await dispatcher.stop();
  return receiver.received.slice(before).map((one) => isSigned(one, client.clientSecret));
}

it('refuses nothing while the keys are sealed anew, and opens all of it afterwards without the old master key', async () => {
  const [row] = await api.database.query<{ name: string }>('select current_database() as name');
  const place = { DATABASE_URL: urlOf(row?.name ?? ''), MASTER_KEYS: `${FRESH},${OLD}` };
  let over = false;
  const loads = [1, 2, 3, 4].map(() => load(client, () => over));
  const [rotated, signed] = await Promise.all([
    command(place, 'keys', 'rotate', '--json').finally(() => setTimeout(() => (over = true), 200)),
    told(api, 20),
  ]);
  expect([rotated.code, rotated.err]).toEqual([0, '']);
  expect(JSON.parse(rotated.out).sealed.length).toBeGreaterThan(20);
  for (const statuses of await Promise.all(loads))
    expect([...statuses].filter((told) => !told.startsWith('200 '))).toEqual([]);
  expect(signed).toEqual(Array.from({ length: 20 }, () => true));

  const keyring = await openKeyring(api.database, masterKeysOf(FRESH));
  const restarted = await testApi({ keyring, on: api });
  const again: Client = {
    ...client,
    call: (method, path, body, headers) =>
      restarted.call(method, path, body, {
        'x-client-id': client.clientId,
        'x-client-secret': client.clientSecret,
        ...headers,
      }),
  };
  let looks = 0;
  expect(await load(again, () => (looks += 1) > 1)).toEqual(
    new Set(['/v1/accounts', person, '/v1/webhooks/signing-key'].map((path) => `200 ${path}`)),
  );
  const before = await client.call('GET', person);
  expect((await again.call('GET', person)).body).toEqual(before.body);
  expect(await told(restarted, 3)).toEqual([true, true, true]);
  await restarted.close();
});
