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

it.each([
  ['exchange.withdrawal.feeFixed="1.00"', 'feeFixed'],
  ['exchange.withdrawal.feeFixed=[{"currency":"JPY","amount":"1.5"}]', 'amount'],
  ['exchange.withdrawal.feeFixed=[{"currency":"XXL","amount":"1"}]', 'currency'],
  ['exchange.withdrawal.feePercent=100', 'feePercent'],
  ['exchange.withdrawal.feePercent=-1', 'feePercent'],
  ['exchange.order.feePercent=100', 'feePercent'],
  ['exchange.feePercent=100', 'feePercent'],
  ['exchange.spreadBps=5001', 'spreadBps'],
])('client settings refuses %s, and changes nothing', async (set, field) => {
  const settings = () => api.database.query('select settings from tenants where id = $1', [client.clientId]);
  const before = await settings();
  const { code, err } = await operator('client', 'settings', client.clientId, '--set', set, '--json');
  expect([code, JSON.parse(err).field]).toEqual([2, field]);
  expect(await settings()).toEqual(before);
});

it('what was set before fees were listed and had bounds is charged and shown as it was', async () => {
  const before = { order: { feePercent: '0.5' }, withdrawal: { feeFixed: '1.50', feePercent: '120' } };
  await api.database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
    ...[client.clientId, JSON.stringify({ exchange: before })],
  ]);
  const destinationId = await destinationOf(api, client);
  const { fee } = await withdrawn(client, { accountId, destinationId, amount: '100.00' });
  expect(fee).toBe('121.50');
  const { out } = await operator('client', 'settings', client.clientId, '--json');
  const { exchange } = JSON.parse(out);
  expect(exchange).toMatchObject({ spreadBps: 0, order: before.order, withdrawal: { feePercent: '120' } });
  expect(exchange.withdrawal.feeFixed).toContainEqual({ currency: 'EUR', amount: '1.50' });
  expect(exchange.withdrawal.feeFixed).toContainEqual({ currency: 'JPY', amount: '2' });
  // What is set is of the present shape, all of it.
  const changed = await operator(
    'client',
    'settings',
    client.clientId,
    '--set',
    'exchange.spreadBps=5',
    '--json',
  );
  expect([changed.code, JSON.parse(changed.err).field]).toEqual([2, 'feePercent']);
  const mended = ['--set', 'exchange.spreadBps=5', '--set', 'exchange.withdrawal.feePercent=1'];
  expect((await operator('client', 'settings', client.clientId, ...mended)).code).toBe(0);
  expect((await withdrawn(client, { accountId, destinationId, amount: '100.00' })).fee).toBe('2.50');
});
