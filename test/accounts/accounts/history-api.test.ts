import { type Client, type TestApi, testApi } from '../../support/api';

let api: TestApi;
let client: Client;
let admin: Client;
beforeAll(async () => {
  api = await testApi();
  [client, admin] = await Promise.all([api.client(), api.client('admin')]);
});
afterAll(() => api.close());

interface Line {
  id: string;
  accountId: string;
  type: string;
  subtype: string;
  amount: string;
  timestamp: string;
  balanceAfter: string;
}

async function user(currencies: string[]): Promise<{ id: string; accounts: string[] }> {
  const { id } = (await client.call('POST', '/v1/users', {})).body;
  const accounts: string[] = [];
  for (const currency of currencies)
    accounts.push((await client.call('POST', `/v1/users/${id}/accounts`, { currency })).body.id);
  return { id, accounts };
}
const book = (kind: 'admin-deposit' | 'admin-withdrawal', accountId: string, amount: string) =>
  admin.call('POST', `/v1/accounts/${kind}`, { accountId, amount, reason: 'test' });

async function pages(path: string, limit: number, between?: () => Promise<unknown>): Promise<Line[]> {
  const lines: Line[] = [];
  for (let cursor = ''; ; ) {
    const { body, status } = await client.call(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`,
    );
    expect(status).toBe(200);
    lines.push(...body.data);
    if (!body.hasMore) return lines;
    await between?.();
    cursor = `&cursor=${body.nextCursor}`;
  }
}

it('lists an account newest first with the balance after each entry, and filters', async () => {
  const { accounts } = await user(['USD']);
  const [account = ''] = accounts;
  await book('admin-deposit', account, '10.00');
  await book('admin-withdrawal', account, '4.00');
  await book('admin-deposit', account, '1.00');
  const path = `/v1/accounts/${account}/transactions`;
  const lines = await pages(path, 100);
  expect(lines.map(({ amount, balanceAfter }) => [amount, balanceAfter])).toEqual([
    ['1.00', '7.00'],
    ['4.00', '6.00'],
    ['10.00', '10.00'],
  ]);
  expect(lines[1]).toEqual({
    id: expect.stringMatching(/^atx_/),
    accountId: account,
    type: 'withdraw',
    subtype: 'admin_withdrawal',
    amount: '4.00',
    currency: 'USD',
    referenceId: expect.stringMatching(/^ref_/),
    timestamp: expect.stringMatching(/Z$/),
    balanceAfter: '6.00',
    // An entry never changes.
    createdAt: lines[1]?.timestamp,
    updatedAt: lines[1]?.timestamp,
  });
  expect(await pages(`${path}?type=deposit`, 100)).toEqual([lines[0], lines[2]]);
  expect(await pages(`${path}?subtype=admin_withdrawal`, 100)).toEqual([lines[1]]);
  expect(await pages(`${path}?type=fee`, 100)).toEqual([]);
  const middle = lines[1]?.timestamp ?? '';
  const inside = (one: Line) => one.timestamp >= middle;
  expect(await pages(`${path}?from=${middle}`, 100)).toEqual(lines.filter(inside));
  expect(await pages(`${path}?to=${middle}`, 100)).toEqual(lines.filter((one) => !inside(one)));
});

it('misses and repeats nothing on pages while others write to the account', async () => {
  const { accounts } = await user(['USD']);
  const [account = ''] = accounts;
  for (let index = 0; index < 9; index += 1) await book('admin-deposit', account, `${index + 1}.00`);
  const path = `/v1/accounts/${account}/transactions`;
  const before = await pages(path, 100);
  const paged = await pages(path, 2, () => book('admin-deposit', account, '100.00'));
  expect(paged).toEqual(before);
});

it('merges all accounts of a user, with entries of the same time', async () => {
  const { id, accounts } = await user(['USD', 'EUR', 'JPY']);
  // Forty at once, so that many share a millisecond.
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => book('admin-deposit', accounts[index % 3] ?? '', '5')),
  );
  const path = `/v1/users/${id}/account/transactions`;
  const [whole, paged] = [await pages(path, 100), await pages(path, 3)];
  expect(whole).toHaveLength(40);
  expect(paged).toEqual(whole);
  expect(new Set(whole.map((line) => line.id)).size).toBe(40);
  const times = whole.map((line) => line.timestamp);
  expect(times).toEqual([...times].sort().reverse());
  for (const account of accounts) {
    const own = await pages(`/v1/accounts/${account}/transactions`, 100);
    expect(whole.filter((line) => line.accountId === account)).toEqual(own);
  }
  expect(await pages(`${path}?type=withdraw`, 3)).toEqual([]);
});

it('is empty for a user without accounts', async () => {
  const { id } = await user([]);
  const { body } = await client.call('GET', `/v1/users/${id}/account/transactions`);
  expect(body).toEqual({ data: [], hasMore: false, nextCursor: null });
});

describe('GET /v2/accounts/{accountId}/balance', () => {
  it('returns the current balance and that of a past moment', async () => {
    const { accounts } = await user(['EUR']);
    const [account = ''] = accounts;
    const first = (await book('admin-deposit', account, '3.00')).body as Line;
    await new Promise((resolve) => setTimeout(resolve, 5)); // so that the next entry has a later millisecond
    const second = (await book('admin-deposit', account, '4.00')).body as Line;
    const path = `/v2/accounts/${account}/balance`;
    const at = async (moment: string) => (await client.call('GET', `${path}?at=${moment}`)).body;
    expect((await client.call('GET', path)).body).toEqual({
      accountId: account,
      currency: 'EUR',
      available: '7.00',
      pending: '0.00',
      asOf: expect.stringMatching(/Z$/),
    });
    expect(await at('2020-01-01T00:00:00Z')).toMatchObject({
      available: '0.00',
      asOf: '2020-01-01T00:00:00.000Z',
    });
    expect(await at(first.timestamp)).toMatchObject({ available: '3.00', asOf: first.timestamp });
    expect(await at(second.timestamp)).toMatchObject({ available: '7.00' });
    const future = await at('2999-01-01T00:00:00Z');
    expect(future.available).toBe('7.00');
    expect(future.asOf < '2999').toBe(true);
    expect(await client.call('GET', `${path}?at=noon`)).toMatchObject({ status: 400, body: { field: 'at' } });
  });
});
