/** @long fills every table with 60,000 rows. */
import { fillHistory, fillTenant } from '../../bench/fill';
import { expireAuthorizations } from '../../src/cards/events/expiry';
import type { Database } from '../../src/kernel/db/database';
import { trialBalanceByAccount } from '../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard, fund, simulate, type TestCard } from '../support/cards';
import { expectFewBlocks, expectIndexes as explained } from './explain';
import { type Statement, spiedDatabase } from './spy';

/**
 * Checks that every list and lookup uses an index. Each statement of the endpoints is explained over a million rows,
 * most of them of one tenant and one card, and none may read a large table completely.
 */

const MANY = 1_000_000;
const LARGE = [
  'card_transactions',
  'ledger_legs',
  'events',
  'authorizations',
  'cards',
  'users',
  'accounts',
  'ledger_accounts',
  'idempotency_keys',
  'cardholders',
  'status_changes',
  'transfers',
];

let api: TestApi;
let client: Client;
let card: TestCard;
let statements: Statement[];

beforeAll(async () => {
  const spied: Statement[] = [];
  api = await testApi({}, (database: Database) => spiedDatabase(database, spied));
  statements = spied;
  client = await api.client();
  card = await activeCard(api, client);
  await fund(api, card.accountId, '10.00');
  await fillTenant(api.database, client.clientId, card, 20_000);
  await fillHistory(api.database, client.clientId, card, 0, MANY);
  await fillStatuses(card.accountId);
  await api.database.query('analyze');
}, 300_000);
afterAll(() => api.close());

/** Fills deposits of one account and their status changes, all outside the days that the lists ask for. */
async function fillStatuses(accountId: string): Promise<void> {
  await api.database.query(
    `insert into transfers (id, kind, tenant_id, account_id, status, terms, reference_id, party)
     select 'dep_' || lpad(n::text, 26, '0'), 'deposit', $1, $2, 'expired', '{}', 'dep_' || n, 'checkout' from generate_series(1, 100000) n`,
    [client.clientId, accountId],
  );
  await api.database.query(
    `insert into status_changes (account_id, at, number, id, kind, record_id, reference_id, status)
     select $1, now() - make_interval(secs => n), 2000000000 - n, 'stc_' || n, 'deposit', 'dep_' || n, 'dep_' || n, 'expired'
       from generate_series(1, 100000) n`,
    [accountId],
  );
}

const expectIndexes = (work: () => Promise<unknown>) =>
  explained({ database: api.database, statements, large: LARGE }, work);

const day = 24 * 60 * 60 * 1000;
const ago = (days: number) => new Date(Date.now() - days * day).toISOString();

const past = () => `from=${ago(50)}&to=${ago(40)}`;

const READS: [string, () => string][] = [
  ['cards', () => '/v1/cards'],
  ['cards of a user', () => `/v1/cards?userId=${card.userId}`],
  ['cards of an account', () => `/v1/cards?accountId=${card.accountId}`],
  ['cards of a cardholder', () => `/v1/cards?cardholderId=${card.cardholderId}`],
  ['cards by status', () => '/v1/cards?status=frozen'],
  ['cards of a BIN', () => `/v1/cards?bin=${card.bin}`],
  ['a card', () => `/v1/cards/${card.id}`],
  ['decline rate', () => `/v1/cards/${card.id}/decline-rate?from=${ago(3)}`],
  ['card transactions', () => `/v1/cards/${card.id}/transactions`],
  ['card transactions by type', () => `/v1/cards/${card.id}/transactions?type=settle`],
  ['card transactions of a period', () => `/v1/cards/${card.id}/transactions?from=${ago(5)}&to=${ago(4)}`],
  ['card transactions of a user', () => `/v1/users/${card.userId}/card/transactions`],
  ['account transactions', () => `/v1/accounts/${card.accountId}/transactions`],
  ['account transactions by type', () => `/v1/accounts/${card.accountId}/transactions?type=fee`],
  ['account transactions of a user', () => `/v1/users/${card.userId}/account/transactions`],
  ['balance at a moment', () => `/v2/accounts/${card.accountId}/balance?at=${ago(2)}`],
  ['accounts', () => '/v1/accounts'],
  ['users', () => '/v1/users'],
  ['a user by its external id', () => '/v1/users?externalId=u-77'],
  ['cardholders', () => '/v1/cardholders'],
  ['cards of a period', () => `/v1/cards?${past()}`],
  ['cards of a user and a period', () => `/v1/cards?userId=${card.userId}&${past()}`],
  ['accounts of a period', () => `/v1/accounts?${past()}`],
  ['accounts with BINs of a period', () => `/v2/accounts?${past()}`],
  ['users of a period', () => `/v1/users?${past()}`],
  ['cardholders of a period', () => `/v1/cardholders?${past()}`],
  ['deposits of a period', () => `/v2/accounts/${card.accountId}/deposits?${past()}`],
  ['payouts of a period', () => `/v2/accounts/${card.accountId}/payouts?${past()}`],
  [
    'account transactions of a user and a period',
    () => `/v1/users/${card.userId}/account/transactions?${past()}`,
  ],
  ['mixed history of an account', () => `/v2/accounts/${card.accountId}/transactions`],
  ['its statuses', () => `/v2/accounts/${card.accountId}/transactions?kind=deposit`],
  [
    'its entries of a period',
    () => `/v2/accounts/${card.accountId}/transactions?kind=account_transaction&${past()}`,
  ],
  ['mixed history of a card', () => `/v2/cards/${card.id}/transactions`],
  ['its account transactions', () => `/v2/cards/${card.id}/transactions?kind=account_transaction`],
  ['all transactions', () => '/v1/transactions'],
  ['all transactions of a period', () => `/v1/transactions?from=${ago(5)}&to=${ago(4)}`],
  ['all transactions by type', () => '/v1/transactions?type=fee'],
  ['all transactions of a card', () => `/v1/transactions?cardId=${card.id}`],
  ['all transactions of an account', () => `/v1/transactions?accountId=${card.accountId}`],
  ['events', () => '/v1/events'],
  ['events of a period', () => `/v1/events?from=${ago(5)}&to=${ago(4)}`],
  ['events by type', () => '/v1/events?type=kyc'],
  ['events of a record', () => '/v1/events?recordId=ref_77'],
  ['statement of an account', () => `/v1/accounts/${card.accountId}/statement?from=${ago(5)}&to=${ago(4)}`],
  ['statement of a card', () => `/v1/accounts/${card.id}/statement?from=${ago(5)}&to=${ago(4)}&format=csv`],
  ['mixed history of a card and a period', () => `/v2/cards/${card.id}/transactions?${past()}`],
];

it.each(READS)('%s', async (_name, path) => {
  await expectIndexes(async () => expect((await client.call('GET', path())).status).toBe(200));
});

it('the pages that follow', async () => {
  const path = `/v1/cards/${card.id}/transactions?limit=5`;
  const { nextCursor } = (await client.call('GET', path)).body;
  await expectIndexes(async () =>
    expect((await client.call('GET', `${path}&cursor=${nextCursor}`)).status).toBe(200),
  );
});

const LISTS: [string, () => string][] = [
  ['card transactions', () => `/v1/cards/${card.id}/transactions`],
  ['account transactions', () => `/v1/accounts/${card.accountId}/transactions`],
  ['mixed history of an account', () => `/v2/accounts/${card.accountId}/transactions`],
  ['mixed history of a card', () => `/v2/cards/${card.id}/transactions`],
  ['all transactions', () => '/v1/transactions'],
  ['events', () => '/v1/events'],
];

it.each(LISTS)(
  '%s: the pages of a period and deep pages begin where they are asked for',
  async (_name, path) => {
    const few = (query: string) =>
      expectFewBlocks({ database: api.database, statements }, async () =>
        expect((await client.call('GET', `${path()}?${query}`)).status).toBe(200),
      );
    const period = `from=${ago(6)}&to=${ago(5)}`;
    const deep = (await client.call('GET', `${path()}?limit=5&to=${ago(5)}`)).body.nextCursor as string;
    expect(deep).toEqual(expect.any(String));
    await few(period);
    await few(`cursor=${deep}`);
    await few(`cursor=${deep}&to=${ago(4)}`);
    await few(`cursor=${deep}&${period}`);
  },
);

it('the pages of all transactions that follow', async () => {
  for (const filter of ['', `&cardId=${card.id}`, `&accountId=${card.accountId}`]) {
    const path = `/v1/transactions?limit=5${filter}`;
    const { nextCursor } = (await client.call('GET', path)).body;
    await expectIndexes(async () =>
      expect((await client.call('GET', `${path}&cursor=${nextCursor}`)).status).toBe(200),
    );
  }
});

it('the pages of events that follow, and an event', async () => {
  const { data, nextCursor } = (await client.call('GET', '/v1/events?limit=5')).body;
  await expectIndexes(async () => {
    expect((await client.call('GET', `/v1/events?limit=5&cursor=${nextCursor}`)).status).toBe(200);
    expect((await client.call('GET', `/v1/events/${data[0].id}`)).status).toBe(200);
  });
});

it('the trial balance by account reads no ended entry', () =>
  explained({ database: api.database, statements, large: ['ledger_legs'] }, () =>
    trialBalanceByAccount(api.services.database, new Date()),
  ));

it('a transaction with its chain', async () => {
  const made = await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
  await simulate(client, { cardId: card.id, type: 'settle', referenceId: made.body.referenceId });
  await expectIndexes(async () =>
    expect((await client.call('GET', `/v1/cards/transactions/${made.body.id}`)).status).toBe(200),
  );
});

it('a card event with a reference and a key', async () => {
  const made = await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
  expect(made).toMatchObject({ status: 201, body: { type: 'authorization' } });
  const message = { cardId: card.id, type: 'settle', referenceId: made.body.referenceId };
  await expectIndexes(async () =>
    expect(await simulate(client, message, { 'x-idempotency-key': 'k' })).toMatchObject({ status: 201 }),
  );
});

it('the job that expires authorizations', async () => {
  await expectIndexes(() => expireAuthorizations(api.services, 100));
});

/** The plans for 100,000,000 rows of each table, by statistics. The planner takes the rows of a block from them. */
describe('with the statistics of a hundred million rows', () => {
  const HUGE = 1e8;

  beforeAll(async () => {
    await api.database.query(
      `select pg_restore_relation_stats('schemaname', 'public', 'relname', relname::text,
                'relpages', pg_relation_size(oid)::int / 8192, 'reltuples', $2::real)
         from pg_class where relname = any($1) and relkind = 'r'`,
      [LARGE, HUGE],
    );
  });

  it.each(LARGE)('%s is believed to have them', async (table) => {
    const [row] = await api.database.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      `explain (format json) select * from ${table}`,
    );
    expect(row?.['QUERY PLAN'][0].Plan['Plan Rows']).toBeGreaterThan(HUGE / 2);
  });

  it.each(READS)('%s', async (_name, path) => {
    await expectIndexes(async () => expect((await client.call('GET', path())).status).toBe(200));
  });

  it.each(LISTS)('%s: a deep page', async (_name, path) => {
    const { nextCursor } = (await client.call('GET', `${path()}?limit=5&to=${ago(5)}`)).body;
    await expectFewBlocks({ database: api.database, statements }, async () =>
      expect((await client.call('GET', `${path()}?cursor=${nextCursor}`)).status).toBe(200),
    );
  });

  it('a card event with a key, and the job that expires authorizations', async () => {
    const message = { cardId: card.id, type: 'authorization', amount: '1.00' };
    await expectIndexes(async () =>
      expect(await simulate(client, message, { 'x-idempotency-key': 'huge' })).toMatchObject({ status: 201 }),
    );
    await expectIndexes(() => expireAuthorizations(api.services, 100));
  });
});
