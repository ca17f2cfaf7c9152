import { checkLedger } from '../../../src/kernel/ledger/check';
import { noteStatusChanges } from '../../../src/kernel/ledger/status-changes';
import { type Client, type TestApi, testApi } from '../../support/api';
import { activeCard, fund, simulate, type TestCard } from '../../support/cards';
import { faultyWalks, type HistoryItem, walk, walkWhile } from '../../support/histories';

let api: TestApi;
let client: Client;
let card: TestCard;
let path: string;
beforeAll(async () => {
  api = await testApi();
});
beforeEach(async () => {
  client = await api.client();
  card = await activeCard(api, client, '100.00');
  await fund(api, card.accountId, '500.00');
  path = `/v2/cards/${card.id}/transactions`;
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const event = async (type: string, more: object = {}) =>
  (await simulate(client, { cardId: card.id, type, ...more })).body;

const line = ({ kind, type, subtype }: HistoryItem) =>
  [kind === 'account_transaction' ? 'account' : 'card', type, subtype].filter(Boolean).join(' ');

it('lists the card transactions, each with its account transactions directly after it', async () => {
  const { referenceId } = await event('authorization', { amount: '10.00' });
  await event('settle', { referenceId, amount: '4.00' });
  await event('settle', { referenceId, final: true });
  await event('authorization', { amount: '1000.00' });
  await client.call('POST', `/v1/cards/${card.id}/topup`, { amount: '5.00' });
  await client.call('DELETE', `/v1/cards/${card.id}`);
  const items = await walk(client, path);
  expect(items.map(line).reverse()).toEqual([
    ...['card issue', 'account transfer card_deposit', 'account fee issue_fee'],
    'card authorization',
    ...['card settle', 'account fee settle_fee'],
    ...['card settle', 'account fee settle_fee'],
    ...['card decline', 'account fee decline_fee'],
    ...['card topup', 'account transfer card_deposit', 'account fee topup_fee'],
    ...['card withdraw', 'account transfer card_closed_refund', 'card close'],
  ]);
  for (const [index, item] of items.entries())
    if (item.kind === 'account_transaction') {
      const cause = items.slice(index).find(({ kind }) => kind === 'card_transaction');
      expect([item.referenceId, item.occurredAt]).toEqual([cause?.referenceId, cause?.occurredAt]);
    }
  const v1 = (await client.call('GET', `/v1/cards/${card.id}/transactions?limit=100`)).body.data;
  expect(items.filter(({ kind }) => kind === 'card_transaction')).toEqual(
    v1.map((each: { timestamp: string }) => ({
      version: 2,
      kind: 'card_transaction',
      occurredAt: each.timestamp,
      ...each,
    })),
  );
});

it('lists the same items in pages of any size, with kind, from and to @long', async () => {
  for (let turn = 0; turn < 3; turn += 1) await event('authorization', { amount: '1000.00' });
  const { referenceId } = await event('authorization', { amount: '10.00' });
  await event('settle', { referenceId });
  const items = await walk(client, path);
  for (const limit of [1, 2, 3, 4, 5]) expect(await walk(client, path, limit)).toEqual(items);
  for (const kind of ['card_transaction', 'account_transaction', 'card_operation'])
    for (const limit of [1, 2, 100])
      expect(await walk(client, `${path}?kind=${kind}`, limit)).toEqual(
        items.filter((item) => item.kind === kind),
      );
  const middle = items[4]?.occurredAt ?? '';
  expect(await walk(client, `${path}?from=${middle}`, 2)).toEqual(
    items.filter(({ occurredAt }) => occurredAt >= middle),
  );
  expect(await walk(client, `${path}?to=${middle}`, 2)).toEqual(
    items.filter(({ occurredAt }) => occurredAt < middle),
  );
});

it('shows the status changes of a card operation', async () => {
  await api.database.transaction(async (tx) =>
    noteStatusChanges(tx, card.id, [
      {
        kind: 'card_operation',
        recordId: 'op_1',
        referenceId: 'op_1',
        status: 'accepted',
        previousStatus: null,
        failure: null,
      },
    ]),
  );
  await event('authorization', { amount: '1.00' });
  const items = await walk(client, path, 1);
  expect(items.slice(0, 2)).toMatchObject([
    { kind: 'card_transaction', type: 'authorization' },
    { kind: 'card_operation', recordId: 'op_1', status: 'accepted' },
  ]);
});

it.each([
  ['kind', 'kind=payout'],
  ['limit', 'limit=101'],
  ['from', 'from=yesterday'],
  ['to', 'to=1'],
  ['cursor', 'cursor=abc'],
])('refuses a bad %s', async (field, query) => {
  const { status, body } = await client.call('GET', `${path}?${query}`);
  expect([status, body.field]).toEqual([400, field]);
});

it('accepts only cursors of the same card, and only its own tenant', async () => {
  const { nextCursor } = (await client.call('GET', `${path}?limit=1`)).body;
  const other = await activeCard(api, client);
  const { status, body } = await client.call(
    'GET',
    `/v2/cards/${other.id}/transactions?cursor=${nextCursor}`,
  );
  expect([status, body.field]).toEqual([400, 'cursor']);
  expect((await (await api.client()).call('GET', path)).status).toBe(404);
  expect((await client.call('GET', '/v2/cards/card_nonsense/transactions')).status).toBe(404);
});

it('misses nothing and repeats nothing on pages while others write @long', async () => {
  const spend = async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      const { referenceId } = await event('authorization', { amount: '1.00' });
      // Sent at once, so that many share a batch and therefore a time.
      await Promise.all([
        event('settle', { referenceId, amount: '0.40' }),
        event('settle', { referenceId, amount: '0.30' }),
        event('authorization', { amount: '1000.00' }),
      ]);
    }
  };
  const fundIt = async () => {
    for (let turn = 0; turn < 10; turn += 1)
      await client.call('POST', `/v1/cards/${card.id}/topup`, { amount: '1.00' });
  };
  const { walks, whole } = await walkWhile(client, path, () =>
    Promise.all([spend(), spend(), spend(), fundIt()]),
  );
  expect(faultyWalks(walks, whole)).toEqual([]);
  expect(walks.some((items) => items.length > 0 && items.length < whole.length)).toBe(true);
  const [stored] = await api.database.query<{ count: number }>(
    `select (select count(*)::int from card_transactions where card_id = $1)
          + (select count(*)::int from ledger_legs where listed and reference_id in
               (select reference_id from card_transactions where card_id = $1)) as count`,
    [card.id],
  );
  expect(whole).toHaveLength(stored?.count ?? 0);
  expect(new Set(whole.map(({ id }) => id)).size).toBe(stored?.count);
}, 60_000);
