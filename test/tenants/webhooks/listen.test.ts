import { Webhook } from 'standardwebhooks';
import { type Listening, listen } from '../../../scripts/listen/listen';
import { type Client, type TestApi, testApi } from '../../support/api';
import { isSigned, type Receiver, startReceiver } from '../../support/outside/receiver';
import { until } from '../../support/until';
import { append, eventsOf } from './support';

let api: TestApi;
let receiver: Receiver;
let client: Client;
let listening: ReturnType<typeof listen> | undefined;
let said: string[];
beforeAll(async () => {
  [api, receiver] = await Promise.all([testApi(), startReceiver({ http: true })]);
});
beforeEach(async () => {
  client = await api.client();
  said = [];
});
afterEach(async () => {
  listening?.stop();
  await listening?.ended;
});
afterAll(async () => {
  await receiver.close();
  await api.close();
});

async function start(path: string, options: Partial<Listening> = {}): Promise<void> {
  listening = listen({
    api: api.url,
    credential: client,
    forward: receiver.url + path,
    say: (line) => void said.push(line),
    ...options,
  });
  await until(() => said.some((line) => line.startsWith('Listening.')));
}

it('posts new events once, in order, signed, and registers nothing', async () => {
  await append(api, client); // before it listens
  await start('/new');
  const ids = await append(api, client, { count: 150 });
  await receiver.until(() => receiver.at('/new').length === 150, 20_000);
  expect(receiver.at('/new').map(({ body }) => body.data['id'])).toEqual(ids);
  const [first] = receiver.at('/new');
  expect(first?.raw.toString()).toBe(
    `{"event":"card_transaction","data":{"id":"${ids[0]}","amount":"10.00","note":"Zürich ✓"}}`,
  );
  expect(isSigned(first!, client.clientSecret)).toBe(true);
  const { body } = await client.call('GET', '/v1/webhooks/signing-key');
  const verify = () =>
    new Webhook(body.key).verify(first!.raw.toString(), first!.headers as Record<string, string>);
  expect(verify()).toEqual(first!.body);
  expect((await client.call('GET', '/v1/webhooks')).body.data).toEqual([]);
  expect((await eventsOf(api, client)).every(({ delivery }) => delivery === 'recorded')).toBe(true);
  await append(api, client);
  await receiver.until(() => receiver.at('/new').length === 151);
});

it('repeats an event that the port refuses, before the next one', async () => {
  receiver.answer('/busy', 500);
  await start('/busy');
  const [first, second] = await append(api, client, { count: 2 });
  await receiver.until(() => receiver.at('/busy').length === 1);
  receiver.answer('/busy', 204);
  await receiver.until(() => receiver.at('/busy').length === 3);
  expect(receiver.at('/busy').map(({ body }) => body.data['id'])).toEqual([first, first, second]);
  expect(said.filter((line) => line.endsWith('→ 500'))).toHaveLength(1);
});

it('posts events of one type only', async () => {
  await start('/deposits', { type: 'deposit' });
  await append(api, client, { registration: 'card' });
  const [id] = await append(api, client, { registration: 'deposit' });
  await receiver.until(() => receiver.at('/deposits').length === 1);
  expect(receiver.at('/deposits')[0]?.body.data['id']).toBe(id);
});

it('ends when the credential is refused', async () => {
  const refused = listen({
    api: api.url,
    credential: { clientId: client.clientId, clientSecret: 'wrong' },
    forward: receiver.url,
    say: () => undefined,
  });
  await expect(refused.ended).rejects.toThrow('401');
});
