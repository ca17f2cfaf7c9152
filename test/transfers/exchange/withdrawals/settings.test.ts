import { z } from 'zod';
import { typedDecimal } from '../../../../src/kernel/wire/schemas';
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

const keep = (exchange: object) =>
  api.database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
    ...[client.clientId, JSON.stringify({ exchange })],
  ]);

const feeOf = async (destinationId: string) =>
  (await withdrawn(client, { accountId, destinationId, amount: '100.00' })).fee;

/** The `exchange` settings as the release before reads them, of which processes run beside ours while we are rolled out. */
const releaseBefore = z.object({
  order: z.object({ feePercent: typedDecimal().default('0') }).prefault({}),
  withdrawal: z
    .object({ feeFixed: typedDecimal().default('0'), feePercent: typedDecimal().default('0') })
    .prefault({}),
});

it.each([
  ['exchange.withdrawal.fees="1.00"', 'fees'],
  ['exchange.withdrawal.fees=null', 'fees'],
  ['exchange.withdrawal.fees=[{"currency":"JPY","amount":"1.5"}]', 'exchange.withdrawal.fees.0.amount'],
  ['exchange.withdrawal.fees=[{"currency":"XXL","amount":"1"}]', 'exchange.withdrawal.fees.0.currency'],
  ['exchange.withdrawal.feeFixed="1.00"', 'feeFixed'],
  ['exchange.withdrawal.feeFixed="0"', 'feeFixed'],
  ['exchange.withdrawal.feePercent=100', 'feePercent'],
  ['exchange.withdrawal.feePercent=-1', 'feePercent'],
  ['exchange.order.feePercent=100', 'feePercent'],
  ['exchange.feePercent=100', 'feePercent'],
  ['exchange.spreadBps=5001', 'spreadBps'],
])('client settings refuses %s, and changes nothing', async (set, field) => {
  const before = await stored();
  const { code, err } = await setting(set);
  expect([code, JSON.parse(err).field]).toEqual([2, field]);
  expect(await stored()).toEqual(before);
});

it.each([
  ['of another kind', 'rateLimit.perSecond=50'],
  ['of exchanges', 'exchange.spreadBps=5'],
  ['of the fees of withdrawals', 'exchange.withdrawal.fees=[{"currency":"EUR","amount":"1.25"}]'],
])('a setting %s leaves what the release before reads as it read it', async (_, set) => {
  expect((await setting(set)).code).toBe(0);
  expect(releaseBefore.parse((await stored()).exchange)).toEqual({
    ...{ order: { feePercent: '0' }, withdrawal: { feeFixed: '0', feePercent: '0' } },
  });
});

it('fees are charged by the currency of the account, and one that is not listed has none', async () => {
  await keep({ withdrawal: { feeFixed: '9.99' } });
  const fees = [
    { currency: 'EUR', amount: '1.25' },
    { currency: 'JPY', amount: '150' },
  ];
  const { out } = await setting(`exchange.withdrawal.fees=${JSON.stringify(fees)}`);
  expect(JSON.parse(out).exchange.withdrawal).toMatchObject({ fees, feeFixed: '9.99' });
  const destinationId = await destinationOf(api, client);
  expect(await feeOf(destinationId)).toBe('1.25');
  await setting('exchange.withdrawal.fees=[{"currency":"JPY","amount":"150"}]');
  expect(await feeOf(destinationId)).toBe('0.00');
});

describe('what was set before fees were listed and had bounds', () => {
  const before = { order: { feePercent: '0.5' }, withdrawal: { feeFixed: '1.505', feePercent: '120' } };
  let destinationId: string;
  beforeEach(async () => {
    await keep(before);
    destinationId = await destinationOf(api, client);
  });

  it('is charged and shown as it was', async () => {
    expect(await feeOf(destinationId)).toBe('121.51');
    const { exchange } = JSON.parse((await setting()).out);
    expect(exchange).toMatchObject({ spreadBps: 0, ...before });
    expect(exchange.withdrawal.fees).toBeNull();
  });

  it('stands as it is when something else is set', async () => {
    expect((await setting('exchange.spreadBps=5', 'kycReview=auto')).code).toBe(0);
    expect(await stored()).toMatchObject({ kycReview: 'auto', exchange: { spreadBps: 5, ...before } });
    expect(releaseBefore.parse((await stored()).exchange)).toEqual(before);
    expect(await feeOf(destinationId)).toBe('121.51');
  });

  it('has its bounds as soon as it is set anew', async () => {
    const { code, err } = await setting('exchange.spreadBps=5', 'exchange.withdrawal.feePercent=120');
    expect([code, JSON.parse(err).field]).toEqual([2, 'feePercent']);
    expect((await stored()).exchange).toEqual(before);
    expect((await setting('exchange.withdrawal.feePercent=1')).code).toBe(0);
    expect(await feeOf(destinationId)).toBe('2.51');
  });
});
