import { correct } from '../../src/accounts/accounts/admin';
import { checkLedger } from '../../src/kernel/ledger/check';
import { Decimal } from '../../src/kernel/money/money';
import { type Client, type TestApi, testApi } from '../support/api';
import { cardBalance, cardholder, fund, masterAccount, PROCESSOR, simulate, tell } from '../support/cards';

/** Defects that random scripts have found, each as its smallest case. */

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  client = await api.client();
});

async function pendingCard(amount: string): Promise<string> {
  const { userId, accountId, cardholderId } = await cardholder(client);
  await fund(api, accountId, '50.00');
  const asked = await client.call('POST', '/v1/cards', { userId, accountId, cardholderId, amount });
  return asked.body.id;
}

async function masterBalance(): Promise<string> {
  const account = await client.call('GET', `/v2/accounts/${await masterAccount(client)}/balance`);
  return `${account.body.available} ${account.body.pending}`;
}

it('a card is issued from its hold although its account fell below zero since', async () => {
  const cardId = await pendingCard('10.00');
  const accountId = await masterAccount(client);
  const all = { accountId, amount: new Decimal('39.00') };
  await api.database.transaction((tx) => correct(tx, null, 'withdraw/admin_withdrawal', all, undefined));
  const declined = await simulate(client, { cardId, type: 'authorization', amount: '1.00' });
  expect(declined.body.type).toBe('decline');
  expect(await masterBalance()).toBe('-0.20 11.00');
  await tell(api, { type: 'issue', cardId, reach: null, processor: PROCESSOR });
  expect(await cardBalance(client, cardId)).toBe('10.00 0.00 0.00');
  expect(await masterBalance()).toBe('-0.20 0.00');
  expect(await checkLedger(api.database)).toEqual([]);
});

it.each([
  ['settle', '-3.00 0.00 3.00'],
  ['refund', '3.00 0.00 -3.00'],
])('a failed card returns to zero after an earlier %s and a later one', async (type, left) => {
  const cardId = await pendingCard('10.00');
  await simulate(client, { cardId, type, amount: '3.00' });
  expect(await cardBalance(client, cardId)).toBe(left);
  await tell(api, { type: 'issue_failed', cardId, reach: null, failure: 'refused' });
  expect((await cardBalance(client, cardId)).split(' ')[0]).toBe('0.00');
  await simulate(client, { cardId, type, amount: '2.00' });
  expect((await cardBalance(client, cardId)).split(' ')[0]).toBe('0.00');
  expect(await checkLedger(api.database)).toEqual([]);
});
