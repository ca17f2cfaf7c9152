import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard, fund, simulate, type TestCard } from '../support/cards';
import { type TestDesk, testDesk } from '../support/desk';
import { type Ask, asOperator, operators } from './support';

let api: TestApi;
let desk: TestDesk;
let ask: Ask;
let client: Client;
let card: TestCard;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services);
  const [ida] = await operators(api, 'ida');
  ask = await asOperator(desk.url, ida as NonNullable<typeof ida>);
  client = await api.client();
  card = await activeCard(api, client);
  await fund(api, card.accountId, '10.00');
  await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

const rows = async (path: string) => (await ask('GET', `lists/${path}`)).body.data as Record<string, any>[];

it('lists the entries of an account with the balances after each, page by page, newest first', async () => {
  const all = await rows(`account-movements?account=${card.accountId}`);
  expect(all).toContainEqual(
    expect.objectContaining({
      type: 'deposit/admin_deposit',
      available: { amount: '10.00', currency: 'USD' },
      pending: { amount: '0.00', currency: 'USD' },
    }),
  );
  const { body } = await client.call('GET', '/v1/accounts?limit=100');
  const account = body.data.find(({ id }: { id: string }) => id === card.accountId);
  expect(all[0]?.['balance'].amount).toBe(account.balance.available);
  const sums = all.map((row, index) => {
    const before = Number(all[index + 1]?.['balance'].amount ?? 0);
    return [Number(row['balance'].amount) - before, Number(row['available'].amount)];
  });
  for (const [change, told] of sums) expect(change).toBeCloseTo(told as number);
  const first = (await ask('GET', `lists/account-movements?account=${card.accountId}&limit=1`)).body;
  const path = `account-movements?account=${card.accountId}&limit=100&cursor=${first.nextCursor}`;
  expect([...first.data, ...(await rows(path))]).toEqual(all);
  expect(await rows('account-movements')).toEqual([]);
  expect(await rows(`account-movements?account=${card.accountId}&to=2020-01-01`)).toEqual([]);
});

it('lists the entries of a card, with what it has spent', async () => {
  const [newest] = await rows(`card-movements?card=${card.id}`);
  expect(newest).toMatchObject({ type: 'authorization', spent: { amount: '0.00', currency: 'USD' } });
});

it('tells the story of each account transaction', async () => {
  const all = await rows(`account-movements?account=${card.accountId}`);
  for (const { id, type } of all.filter((row) => row['id'] !== null)) {
    const { status, body } = await ask('GET', `records/${id}`);
    expect([status, body.what]).toEqual([200, 'account transaction']);
    expect(`${body.record.type}/${body.record.subtype}`).toBe(type);
    expect(body).toMatchObject({ tenantId: client.clientId, record: { accountId: card.accountId } });
    expect(body.lists.entries).toContainEqual(expect.objectContaining({ id }));
    expect(body.lists.events).toContainEqual(expect.objectContaining({ event: 'account_transaction' }));
  }
  expect((await ask('GET', 'records/atx_01jz0000000000000000000000')).status).toBe(404);
});

it('lists a trial balance by account, which sums to zero in each currency', async () => {
  const usd = await rows('trial-balance-by-account?currency=USD');
  expect(usd.map(({ account }) => account)).toEqual(expect.arrayContaining(['card', 'master', 'funding']));
  const total = usd.reduce(
    (sum, row) => sum + Number(row['available'].amount) + Number(row['pending'].amount),
    0,
  );
  expect(total).toBeCloseTo(0);
  const past = await rows('trial-balance-by-account?at=2020-01-01&currency=USD');
  expect(past.every((row) => Number(row['available'].amount) === 0)).toBe(true);
  const first = (await ask('GET', 'lists/trial-balance-by-account?limit=3')).body;
  const rest = await rows(`trial-balance-by-account?limit=1000&cursor=${first.nextCursor}`);
  expect([...first.data, ...rest]).toEqual(await rows('trial-balance-by-account?limit=1000'));
});

it('lists accounts, cards and users of a client, newest first', async () => {
  const own = `client=${client.clientId}`;
  expect((await rows(`cards?${own}`)).map(({ id }) => id)).toContain(card.id);
  expect((await rows(`users?${own}`)).map(({ id }) => id)).toContain(card.userId);
  const accounts = await rows(`accounts?${own}`);
  expect(accounts.map(({ id }) => id)).toContain(card.accountId);
  expect((await rows(`accounts?user=${card.userId}`)).every(({ user }) => user === card.userId)).toBe(true);
});
