import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard } from '../support/cards';
import { type TestDesk, testDesk } from '../support/desk';
import { fundedAccount } from '../transfers/payouts/support';
import { type Ask, asOperator, key, operators, type Person, pendingPayout } from './support';

/** The preview of a stop counts cards and orders. */

let api: TestApi;
let desk: TestDesk;
let ida: Ask;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services);
  const [person] = (await operators(api, 'ida')) as [Person];
  ida = await asOperator(desk.url, person);
});
beforeEach(async () => {
  client = await api.client();
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

async function preview(name: string, subject: string, input: object = {}): Promise<object[]> {
  const { body } = await ida('POST', `decisions/${name}/preview`, { subject, input });
  return body.effects.filter(({ field }: { field: string }) => /decline|wait/.test(field));
}
const decide = (name: string, subject: string, input: object = {}) =>
  ida('POST', `decisions/${name}`, { subject, input, reason: 'a test' }, key());

const cards = (from: string, to: string) => ({ field: 'open cards that decline', from, to });
const orders = (from: string, to: string) => ({ field: 'orders that wait', from, to });

it('of a user counts the open cards', async () => {
  const { id, userId } = await activeCard(api, client);
  await activeCard(api, client); // of another user
  expect(await preview('user.block', userId)).toEqual([cards('0', '1')]);
  await decide('user.block', userId);
  expect(await preview('user.unblock', userId)).toEqual([cards('1', '0')]);
  await decide('user.unblock', userId);
  await client.call('DELETE', `/v1/cards/${id}`);
  expect(await preview('user.block', userId)).toEqual([cards('0', '0')]);
});

it('of a tenant counts the open cards and the orders that no party has', async () => {
  const { clientId } = client;
  await activeCard(api, client);
  await activeCard(api, client);
  await pendingPayout(api, client, await fundedAccount(api, client, '20000.00'));
  expect(await preview('client.disable', clientId)).toEqual([cards('0', '2'), orders('0', '1')]);
  expect(await preview('client.disable', clientId, { apiOnly: true })).toEqual([
    cards('0', '0'),
    orders('0', '1'),
  ]);
  await decide('client.disable', clientId);
  expect(await preview('client.disable', clientId, { apiOnly: true })).toEqual([
    cards('2', '0'),
    orders('1', '1'),
  ]);
  expect(await preview('client.enable', clientId)).toEqual([cards('2', '0'), orders('1', '0')]);
});
