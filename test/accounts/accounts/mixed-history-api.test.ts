import { checkLedger } from '../../../src/kernel/ledger/check';
import { noteStatusChanges, STATUS_KINDS } from '../../../src/kernel/ledger/status-changes';
import { TRANSFER_KINDS } from '../../../src/transfers/kinds';
import { type Client, type TestApi, testApi } from '../../support/api';
import { fund } from '../../support/cards';
import { faultyWalks, walk, walkWhile } from '../../support/histories';
import { quoted, RETURN_URL } from '../../transfers/deposits/support';
import { created, fundedAccount, lookUntil, newKey } from '../../transfers/payouts/support';

let api: TestApi;
let client: Client;
let account: string;
let path: string;
beforeAll(async () => {
  api = await testApi();
});
beforeEach(async () => {
  client = await api.client();
  account = await fundedAccount(api, client);
  path = `/v2/accounts/${account}/transactions`;
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const change = (status: string) => ({
  kind: 'payout' as const,
  recordId: 'pay_1',
  referenceId: 'pay_1',
  status,
  previousStatus: null,
  failure: null,
});

it('lists the account transactions and statuses of a payout in one order, newest first', async () => {
  const payout = await created(client, account);
  await lookUntil(api, payout, 'sent', 'completed');
  await lookUntil(api, payout, 'completed');
  const items = await walk(client, path);
  expect(items.map(({ kind, status, subtype }) => `${kind} ${String(status ?? subtype)}`).reverse()).toEqual([
    'account_transaction admin_deposit',
    'payout created',
    'payout processing',
    'account_transaction payout',
    'account_transaction payout_fee',
    'payout sent',
    'payout completed',
  ]);
  expect(items.at(-2)).toEqual({
    version: 2,
    kind: 'payout',
    id: expect.stringMatching(/^stc_/),
    occurredAt: expect.stringMatching(/Z$/),
    referenceId: payout,
    recordId: payout,
    status: 'created',
  });
  expect(items[0]).toMatchObject({ status: 'completed', previousStatus: 'sent', recordId: payout });
  const { data } = (await client.call('GET', `/v1/accounts/${account}/transactions?limit=1`)).body;
  expect(items.find(({ id }) => id === data[0].id)).toEqual({
    version: 2,
    kind: 'account_transaction',
    occurredAt: data[0].timestamp,
    ...data[0],
  });
  const times = items.map(({ occurredAt }) => occurredAt);
  expect(times).toEqual([...times].sort().reverse());
});

it('filters by kind, from and to', async () => {
  await created(client, account);
  await fund(api, account, '1.00');
  const items = await walk(client, path);
  const only = async (query: string) => walk(client, `${path}?${query}`, 1);
  for (const kind of ['account_transaction', 'payout', 'deposit'])
    expect(await only(`kind=${kind}`)).toEqual(items.filter((item) => item.kind === kind));
  const middle = items[1]?.occurredAt ?? '';
  expect(await only(`from=${middle}`)).toEqual(items.filter(({ occurredAt }) => occurredAt >= middle));
  expect(await only(`to=${middle}`)).toEqual(items.filter(({ occurredAt }) => occurredAt < middle));
});

it.each([
  ['kind', 'kind=card_transaction'],
  ['limit', 'limit=0'],
  ['from', 'from=yesterday'],
  ['to', 'to=1'],
  ['cursor', 'cursor=abc'],
])('refuses a bad %s', async (field, query) => {
  const { status, body } = await client.call('GET', `${path}?${query}`);
  expect([status, body.field]).toEqual([400, field]);
});

it('accepts only cursors of the same account, and only its own tenant', async () => {
  await fund(api, account, '1.00');
  const { nextCursor } = (await client.call('GET', `${path}?limit=1`)).body;
  const other = await fundedAccount(api, client, '1.00', 'USD');
  const { status, body } = await client.call(
    'GET',
    `/v2/accounts/${other}/transactions?cursor=${nextCursor}`,
  );
  expect([status, body.field]).toEqual([400, 'cursor']);
  expect((await (await api.client()).call('GET', path)).status).toBe(404);
  expect((await client.call('GET', '/v2/accounts/acc_nonsense/transactions')).status).toBe(404);
});

it('misses nothing and repeats nothing on pages while others write', async () => {
  const { body } = await quoted(client, { account: 'EUR' });
  expect(body.quoteId).toBeDefined();
  const payouts = async () => {
    for (let turn = 0; turn < 4; turn += 1)
      await lookUntil(api, await created(client, account, { amount: '1.00' }), 'completed');
  };
  const deposits = async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      const { quoteId } = (await quoted(client, { account: 'EUR' })).body;
      const given = { quoteId, returnUrl: RETURN_URL };
      const made = await client.call('POST', `/v2/accounts/${account}/deposits`, given, newKey());
      expect(made.status).toBe(201);
    }
  };
  const corrections = async () => {
    for (let turn = 0; turn < 12; turn += 1) await fund(api, account, '1.00');
  };
  const { walks, whole } = await walkWhile(client, path, () =>
    Promise.all([payouts(), payouts(), deposits(), corrections(), corrections()]),
  );
  expect(faultyWalks(walks, whole)).toEqual([]);
  expect(walks.some((items) => items.length > 0 && items.length < whole.length)).toBe(true);
  const [stored] = await api.database.query<{ count: number }>(
    `select (select count(*)::int from ledger_legs where account_id = $1 and listed)
          + (select count(*)::int from status_changes where account_id = $1) as count`,
    [account],
  );
  expect(new Set(whole.map(({ id }) => id)).size).toBe(stored?.count);
  expect(whole).toHaveLength(stored?.count ?? 0);
}, 60_000);

/** Waits until that many transactions wait for a lock, or until `done` says that none will. */
async function untilWaiting(done: () => boolean): Promise<void> {
  for (;;) {
    const [row] = await api.database.query<{ waiting: boolean }>(
      `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waiting`,
    );
    if (row?.waiting || done()) return;
  }
}

it('commits each number before a later one can be taken', async () => {
  const before = await walk(client, path);
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let numbered = () => {};
  const isNumbered = new Promise<void>((resolve) => {
    numbered = resolve;
  });
  const late = api.database.transaction(async (tx) => {
    noteStatusChanges(tx, account, [change('created')]);
    await tx.query('select 1'); // queued behind it, on the same connection
    numbered();
    await gate;
  });
  await isNumbered;
  let posted = false;
  const next = fund(api, account, '1.00').then(() => {
    posted = true;
  });
  await untilWaiting(() => posted);
  const meanwhile = await walk(client, path);
  open();
  await Promise.all([late, next]);
  const after = await walk(client, path);
  expect(after).toHaveLength(before.length + 2);
  expect(after.slice(after.length - meanwhile.length)).toEqual(meanwhile);
  expect(after.map(({ kind }) => kind).slice(0, 2)).toEqual(['account_transaction', 'payout']);
});

it('never changes a noted status', async () => {
  await api.database.transaction(async (tx) => noteStatusChanges(tx, account, [change('created')]));
  await expect(api.database.query('update status_changes set status = $1', ['sent'])).rejects.toThrow(
    'never',
  );
  await expect(api.database.query('delete from status_changes')).rejects.toThrow('never');
});

it('has a kind for every kind of transfer', () => {
  expect(TRANSFER_KINDS.map(({ name }) => name).sort()).toEqual([...STATUS_KINDS.account].sort());
});
