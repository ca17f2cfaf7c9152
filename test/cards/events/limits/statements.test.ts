import { type Statement, spiedDatabase } from '../../../growth/spy';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { activeCard, fund, simulate, type TestCard } from '../../../support/cards';

/** Limits cost the hot path nothing on cards without limits. */

const statements: Statement[] = [];
let api: TestApi;
let client: Client;
let card: TestCard;
beforeAll(async () => {
  api = await testApi({}, (database) => spiedDatabase(database, statements));
  client = await api.client();
  card = await activeCard(api, client, '500.00');
  await fund(api, card.accountId, '100.00');
  // Loads the programme into memory.
  await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
});
afterAll(() => api.close());

/**
 * Tables of cards, and lists that are sent. Other tables are read on a timer, so their statements may fall in between.
 */
const OF_CARDS = /^(unnest|card|authorization|ledger|spending|user|bin|programme)/;

const tableOf = (text: string) =>
  /(?: from |^insert into )(?:\(?select \$?)?([a-z_]+)/.exec(text)?.[1] ?? text;

/** The tables that an authorization's statements read, in order. Its writes travel with the commit. */
async function readBy(referenceId?: string): Promise<string[]> {
  statements.length = 0;
  const message = { cardId: card.id, type: 'authorization', amount: '1.00', referenceId };
  const { body } = await simulate(client, message, { 'x-idempotency-key': `k${(keys += 1)}` });
  expect(body.type).toBe('authorization');
  return statements
    .filter(({ deferred }) => !deferred)
    .map(({ text }) => tableOf(text.replaceAll(/\s+/g, ' ')))
    .filter((name) => OF_CARDS.test(name));
}
let keys = 0;

it('counts the spending of a user’s cards in one statement when the user’s limits are set', async () => {
  const path = `/v1/users/${card.userId}/limits`;
  for (const version of [0, 1]) {
    statements.length = 0;
    expect((await client.call('PUT', path, { perDay: '50.00', version })).status).toBe(200);
    expect(statements.filter(({ text }) => text.includes('cross join lateral'))).toHaveLength(1);
  }
  expect((await client.call('PUT', path, { version: 2 })).status).toBe(200);
});

it('reads a card without limits as before; a limited card costs two more statements in one round trip', async () => {
  const unlimited = await readBy();
  expect(unlimited.join()).not.toMatch(/spending/);
  expect(
    (await client.call('PUT', `/v2/cards/${card.id}/limits`, { perDay: '50.00', version: 0 })).status,
  ).toBe(200);
  expect(await readBy()).toEqual([...unlimited, 'spending_limits', 'spending']);
  expect((await client.call('PUT', `/v2/cards/${card.id}/limits`, { version: 1 })).status).toBe(200);
  expect(await readBy()).toEqual(unlimited);
});

it('finds each row by its key', async () => {
  await client.call('PUT', `/v2/cards/${card.id}/limits`, { perDay: '50.00', version: 2 });
  await readBy();
  await api.database.query(
    `insert into spending select 'card_' || n, 'USD', current_date, 1 from generate_series(1, 20000) n`,
  );
  await api.database.query(
    `insert into spending_limits (subject_id, version) select 'card_' || n, 1 from generate_series(1, 20000) n`,
  );
  await api.database.query('analyze spending, spending_limits');
  const asked = statements.filter(({ text }) => /from spending/.test(text));
  expect(asked).toHaveLength(2);
  for (const { text, values } of asked) {
    const plan = await api.database.query<Record<string, unknown>>(`explain (format json) ${text}`, values);
    expect(JSON.stringify(plan)).not.toMatch(/Seq Scan/);
  }
});
