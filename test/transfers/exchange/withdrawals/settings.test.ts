import { type Client, type TestApi, testApi } from '../../../support/api';
import { command, operatorEnvironment } from '../../../support/operator';
import { fundedAccount } from '../../payouts/support';
import { destinationOf, withdrawn } from './support';

let api: TestApi;
let client: Client;
let accountId: string;
let environment: Record<string, string>;
beforeAll(async () => {
  api = await testApi();
  environment = await operatorEnvironment(api.database);
});
beforeEach(async () => {
  client = await api.client();
  accountId = await fundedAccount(api, client);
});
afterAll(() => api.close());

const operator = (...argv: string[]) => command(environment, ...argv);
const setting = (...sets: string[]) =>
  operator('client', 'settings', client.clientId, ...sets.flatMap((set) => ['--set', set]), '--json');

async function stored(): Promise<any> {
  const [row] = await api.database.query<{ settings: object }>('select settings from tenants where id = $1', [
    client.clientId,
  ]);
  return row?.settings;
}

const feeOf = async (destinationId: string) =>
  (await withdrawn(client, { accountId, destinationId, amount: '100.00' })).fee;

it.each([
  ['exchange.withdrawal.fees="1.00"', 'exchange.withdrawal.fees'],
  ['exchange.withdrawal.fees=null', 'exchange.withdrawal.fees'],
  ['exchange.withdrawal.fees=[{"currency":"JPY","amount":"1.5"}]', 'exchange.withdrawal.fees[0].amount'],
  ['exchange.withdrawal.fees=[{"currency":"XXL","amount":"1"}]', 'exchange.withdrawal.fees[0].currency'],
  ['exchange.withdrawal.feeFixed="1.00"', 'exchange.withdrawal.feeFixed'],
  ['exchange.withdrawal.feePercent=100', 'exchange.withdrawal.feePercent'],
  ['exchange.withdrawal.feePercent=-1', 'exchange.withdrawal.feePercent'],
  ['exchange.order.feePercent=100', 'exchange.order.feePercent'],
  ['exchange.feePercent=100', 'exchange.feePercent'],
  ['exchange.spreadBps=5001', 'exchange.spreadBps'],
])('client settings refuses %s, and changes nothing', async (set, field) => {
  const before = await stored();
  const { code, err } = await setting(set);
  expect([code, JSON.parse(err).field]).toEqual([2, field]);
  expect(await stored()).toEqual(before);
});

it('the fee depends on the account’s currency, and an unlisted currency has none', async () => {
  const fees = [
    { currency: 'EUR', amount: '1.25' },
    { currency: 'JPY', amount: '150' },
  ];
  const { out } = await setting(`exchange.withdrawal.fees=${JSON.stringify(fees)}`);
  expect(JSON.parse(out).settings.exchange.withdrawal).toMatchObject({ fees });
  const destinationId = await destinationOf(api, client);
  expect(await feeOf(destinationId)).toBe('1.25');
  await setting('exchange.withdrawal.fees=[{"currency":"JPY","amount":"150"}]');
  expect(await feeOf(destinationId)).toBe('0.00');
});
