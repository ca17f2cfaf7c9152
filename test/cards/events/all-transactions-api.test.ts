import { checkLedger } from '../../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../../support/api';
import { activeCard, fund, masterAccount, simulate, type TestCard } from '../../support/cards';
import { type HistoryItem, walk } from '../../support/histories';
import { credited, enabled } from '../../transfers/iban/support';

let api: TestApi;
let client: Client;
let cards: TestCard[];
let iban: string;
let euros: string;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
  cards = [await activeCard(api, client, '50.00'), await activeCard(api, client, '50.00')];
  iban = (await enabled(api, client)).id;
  euros = await masterAccount(client, 'EUR');
  for (const { id, accountId } of cards) {
    await fund(api, accountId, '20.00');
    const made = await simulate(client, { cardId: id, type: 'authorization', amount: '3.00' });
    await simulate(client, { cardId: id, type: 'settle', referenceId: made.body.referenceId, final: true });
    await simulate(client, { cardId: id, type: 'decline', amount: '1.00' });
    await fund(api, euros, '1.00');
    await credited(api, iban, '2.00');
  }
});
afterAll(async () => {
  expect(await checkLedger(api.database)).toEqual([]);
  await api.close();
});

const PATH = '/v1/transactions';
const ownOf = (item: HistoryItem) => String(item['cardId'] ?? item['accountId']);

it('lists the transactions of all cards and accounts, as the mixed histories show them', async () => {
  const accounts = [...new Set(cards.map(({ accountId }) => accountId)), euros, iban];
  const histories = await Promise.all([
    ...accounts.map((id) => walk(client, `/v2/accounts/${id}/transactions?kind=account_transaction`)),
    ...cards.map(({ id }) => walk(client, `/v2/cards/${id}/transactions?kind=card_transaction`)),
  ]);
  const all = await walk(client, PATH);
  const byId = (items: HistoryItem[]) => [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(byId(all)).toEqual(byId(histories.flat()));
  for (const history of histories) {
    const [first] = history;
    const own = all.filter((item) => first && ownOf(item) === ownOf(first));
    expect(own).toEqual(history);
  }
  const times = all.map(({ occurredAt }) => occurredAt);
  expect(times).toEqual([...times].sort().reverse());
});

it('pages by any size without a gap or a repetition, with any filter', async () => {
  const all = await walk(client, PATH);
  const [{ id: cardId, accountId }] = cards as [TestCard];
  const filters: [string, (item: HistoryItem) => boolean][] = [
    ['', () => true],
    [`cardId=${cardId}`, (item) => item['cardId'] === cardId],
    [`accountId=${accountId}`, (item) => item['accountId'] === accountId],
    [`accountId=${iban}`, (item) => item['accountId'] === iban],
    [
      `cardId=${cardId}&accountId=${euros}`,
      (item) => item['cardId'] === cardId || item['accountId'] === euros,
    ],
    ['kind=card_transaction', ({ kind }) => kind === 'card_transaction'],
    ['type=withdraw', (item) => item['type'] === 'withdraw'],
    ['type=fee', (item) => item['type'] === 'fee'],
    ['type=settle', (item) => item['type'] === 'settle'],
    [`type=deposit&accountId=${euros}`, (item) => item['type'] === 'deposit' && item['accountId'] === euros],
    [`type=settle&accountId=${euros}`, () => false],
  ];
  for (const [filter, isIn] of filters)
    for (const limit of [1, 3, 100])
      expect([filter, await walk(client, `${PATH}?${filter}`, limit)]).toEqual([filter, all.filter(isIn)]);
  const middle = all[Math.floor(all.length / 2)]?.occurredAt ?? '';
  expect(await walk(client, `${PATH}?from=${middle}`, 2)).toEqual(
    all.filter(({ occurredAt }) => occurredAt >= middle),
  );
  expect(await walk(client, `${PATH}?to=${middle}`, 2)).toEqual(
    all.filter(({ occurredAt }) => occurredAt < middle),
  );
});

it('shows another tenant nothing, and takes no cursor of another list or tenant', async () => {
  const other = await api.client();
  const [{ id: cardId, accountId }] = cards as [TestCard];
  for (const filter of ['', `?cardId=${cardId}`, `?accountId=${accountId}`, `?accountId=${iban}`])
    expect((await other.call('GET', PATH + filter)).body).toEqual({
      data: [],
      hasMore: false,
      nextCursor: null,
    });
  const { nextCursor } = (await client.call('GET', `${PATH}?limit=1`)).body;
  const history = (await client.call('GET', `/v1/accounts/${accountId}/transactions?limit=1`)).body;
  for (const [caller, cursor] of [
    [other, nextCursor],
    [client, history.nextCursor],
  ] as const) {
    const { status, body } = await caller.call('GET', `${PATH}?cursor=${cursor}`);
    expect([status, body.field]).toEqual([400, 'cursor']);
  }
});

it('names every wrong filter', async () => {
  const { status, body } = await client.call('GET', `${PATH}?type=issued&from=x&limit=0`);
  expect([status, body.field]).toEqual([400, 'from']);
  expect(body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(['from', 'limit', 'type']);
});
