import { checkLedger } from '../../src/kernel/ledger/check';
import { Decimal } from '../../src/kernel/money/money';
import { type Client, type TestApi, testApi } from '../support/api';
import { masterAccount } from '../support/cards';
import { anotherOperator, command, dayGoesBy, operatorEnvironment, setLimits } from '../support/operator';

let api: TestApi;
let admin: Client;
let ida: Record<string, string>;
let bob: Record<string, string>;
beforeAll(async () => {
  api = await testApi();
  ida = await operatorEnvironment(api.database, 'ida');
  bob = await anotherOperator(ida, 'bob');
});
beforeEach(async () => {
  admin = await api.client('admin');
  await limits('1000', '1500', '2500');
  await dayGoesBy(api.database);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const limits = (credential: string, tenant: string, installation: string, base = 'USD') =>
  setLimits(api.database, {
    credential: new Decimal(credential),
    tenant: new Decimal(tenant),
    installation: new Decimal(installation),
    base,
  });

/** Creates accounts of a tenant's users. */
async function accountsOf(client: Client, count: number, currency = 'USD'): Promise<string[]> {
  const made: string[] = [];
  for (let each = 0; each < count; each += 1) {
    const { body: user } = await client.call('POST', '/v1/users', { meta: {} });
    const { body } = await client.call('POST', `/v1/users/${user.id}/accounts`, { currency });
    made.push(body.id);
  }
  return made;
}

let references = 0;
const book = async (by: Client, accountId: string, amount: string, path = 'admin-deposit') => {
  const more = path.startsWith('admin') ? { reason: 'test' } : { reference: `sum-${(references += 1)}` };
  const { status, body } = await by.call('POST', `/v1/accounts/${path}`, { accountId, amount, ...more });
  return status === 201 ? 'done' : `${status} ${body.code} ${body.field}`;
};
const REFUSED = '409 limit_exceeded amount';

it('refuses one admin credential that divides money over 25 accounts of a tenant', async () => {
  const accounts = await accountsOf(await api.client(), 25);
  const told: string[] = [];
  for (const [place, account] of accounts.entries())
    told.push(await book(admin, account, '1000', place % 2 ? 'admin-deposit' : 'offramp-deposit'));
  expect(told).toEqual(['done', ...Array<string>(24).fill(REFUSED)]);
});

it('refuses two credentials that divide money over the accounts of one tenant', async () => {
  const accounts = (await accountsOf(await api.client(), 3)) as [string, string, string];
  const other = await api.client('admin');
  expect(await book(admin, accounts[0], '1000')).toBe('done');
  expect(await book(other, accounts[1], '500.01')).toBe(REFUSED);
  expect(await book(other, accounts[1], '500')).toBe('done');
  expect(await book(await api.client('admin'), accounts[2], '0.01', 'offramp-deposit')).toBe(REFUSED);
  expect(await book(other, await masterAccount(await api.client()), '500')).toBe('done');
});

it('refuses many credentials that divide money over many tenants', async () => {
  const next = async (amount: string) =>
    book(await api.client('admin'), await masterAccount(await api.client()), amount);
  expect([await next('1000'), await next('1000'), await next('500.01')]).toEqual(['done', 'done', REFUSED]);
  expect([await next('500'), await next('0.01')]).toEqual(['done', REFUSED]);
  await dayGoesBy(api.database);
  expect(await next('1000')).toBe('done');
});

it('counts an operator and an admin credential of one tenant together', async () => {
  const account = await masterAccount(await api.client());
  expect(await book(admin, account, '1000')).toBe('done');
  const [, other] = (await accountsOf(await api.client(), 2)) as [string, string];
  const deposit = (amount: string, to = account) =>
    command(ida, 'account', 'deposit', to, '--amount', amount, '--reason', 'test', '--json');
  expect(JSON.parse((await deposit('1000', other)).out)).toMatchObject({ accountId: other });
  const asked = JSON.parse((await deposit('500.01')).out) as { approval: { id: string } };
  expect(asked.approval).toMatchObject({ status: 'pending' });
  // Two people have decided, so it counts towards nobody's sum.
  expect((await command(bob, 'approval', 'approve', asked.approval.id)).code).toBe(0);
  expect(await book(await api.client('admin'), account, '500')).toBe('done');
});

it('keeps the limit when many requests arrive together', async () => {
  const accounts = await accountsOf(await api.client(), 12);
  const told = await Promise.all(accounts.map((account) => book(admin, account, '300')));
  expect(told.filter((each) => each === 'done')).toHaveLength(3);
});

describe('in the base currency', () => {
  const rate = (amount: string, currency: string) => async () =>
    book(await api.client('admin'), await masterAccount(await api.client(), currency), amount);

  it('converts other currencies at the stored middle rate', async () => {
    expect(await rate('925.93', 'EUR')()).toBe(REFUSED); // 1,000.0044 USD
    expect(await rate('925.92', 'EUR')()).toBe('done');
    const [row] = await api.database.query(
      `select amount::text, currency, rate::text, worth::text, base_currency from decided_alone order by id desc limit 1`,
    );
    expect(row).toMatchObject({ amount: '925.92', currency: 'EUR', worth: '999.9936' });
    expect(await rate('1000', 'GBP')()).toBe(REFUSED);
  });

  it('adds up currencies', async () => {
    const client = await api.client();
    const [usd, eur] = [await masterAccount(client), await masterAccount(client, 'EUR')];
    expect(await book(admin, usd, '500')).toBe('done');
    expect(await book(admin, eur, '463')).toBe(REFUSED);
    expect(await book(admin, eur, '462')).toBe('done');
  });

  it('needs two operators while no fresh rate is stored, except for the base currency', async () => {
    await api.database.query('delete from counting_rates');
    const [eur, usd] = [await rate('0.01', 'EUR')(), await rate('1', 'USD')()];
    expect([eur, usd]).toEqual([REFUSED, 'done']);
    await api.services.parties.rates.ready();
  });

  it('needs two operators on the day of a change of the base currency', async () => {
    await api.database.query('delete from decided_alone');
    expect(await rate('1', 'USD')()).toBe('done');
    await limits('1000', '1500', '2500', 'EUR');
    expect(await rate('1', 'EUR')()).toBe(REFUSED);
    await dayGoesBy(api.database);
    expect(await rate('1000', 'EUR')()).toBe('done');
  });
});
