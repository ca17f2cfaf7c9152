import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard, PROCESSOR, type TestCard } from '../support/cards';
import { type TestDesk, testDesk } from '../support/desk';
import { fundedAccount } from '../transfers/payouts/support';
import { entered, hiddenOf, type Visitor, visitor } from './console/support';
import { type Ask, asOperator, operators, type Person, pendingPayout, permit } from './support';

/** A text that a person has of a record leads to the record, in each face by the same search. */

let api: TestApi;
let desk: TestDesk;
let client: Client;
let ask: Ask;
let page: Visitor;
let card: TestCard;
let payout: string;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services);
  const [ida] = (await operators(api, 'ida')) as [Person];
  ask = await asOperator(desk.url, ida);
  page = await entered(desk.url, ida);
  client = await api.client();
  card = await activeCard(api, client);
  payout = await pendingPayout(api, client, await fundedAccount(api, client, '900000.00'));
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

interface Found {
  finder: string;
  rows: { id: string; tenantId: string | null; status: string | null }[];
  more: boolean;
}
const found = async (q: string): Promise<Found[]> => {
  const { status, body } = await ask('POST', 'search', { q });
  expect(status).toBe(200);
  return body.found;
};
const idsBy = async (q: string) =>
  (await found(q)).flatMap(({ finder, rows }) => rows.map(({ id }) => [finder, id]));

const column = async (sql: string, values: unknown[]): Promise<string> => {
  const [row] = await api.database.query<{ text: string }>(sql, values);
  return (row as { text: string }).text;
};

describe('a search', () => {
  it('finds a record by its id, and by the beginning of the id', async () => {
    for (const [id, finder] of [
      [payout, 'transfer-by-id'],
      [card.id, 'card-by-id'],
      [card.userId, 'user-by-id'],
      [card.cardholderId, 'cardholder-by-id'],
      [card.accountId, 'account-by-id'],
    ] as const) {
      expect(await idsBy(` ${id} `)).toContainEqual(['id', id]);
      expect(await idsBy(id.slice(0, -4))).toContainEqual([finder, id]);
    }
    expect(await idsBy('pay_01jz0000000000000000000000')).toEqual([]);
    expect((await ask('POST', 'search', { q: 'with\0nul' })).status).toBe(400);
  });

  it('finds a user by the external id, in any tenant', async () => {
    const { body } = await client.call('POST', '/v1/users', { externalId: 'customer 4711' });
    expect(await found('customer 4711')).toMatchObject([
      { finder: 'user-by-external-id', rows: [{ id: body.id, tenantId: client.clientId, status: 'active' }] },
    ]);
    expect(await idsBy('customer 471')).toEqual([]);
  });

  it('finds a cardholder by the e-mail, in any case, and no address holds it', async () => {
    const { email } = (await client.call('GET', `/v1/users/${card.userId}`)).body.meta;
    expect(await idsBy(email.toUpperCase())).toContainEqual(['cardholder-by-email', card.cardholderId]);
    expect((await ask('GET', `search?q=${encodeURIComponent(email)}`)).status).toBe(405);
  });

  it('finds a card by its last four digits and by its name at the processor', async () => {
    expect(await idsBy(PROCESSOR.last4)).toContainEqual(['card-by-last-four', card.id]);
    expect(await idsBy(PROCESSOR.reference)).toContainEqual(['card-by-processor-reference', card.id]);
  });

  it('finds a transfer by its idempotency key and by its name at the party', async () => {
    const key = await column('select idempotency_key as text from transfers where id = $1', [payout]);
    expect(await idsBy(key)).toContainEqual(['transfer-by-idempotency-key', payout]);
    await api.database.query(`update transfers set party_ref = 'their-name' where id = $1`, [payout]);
    expect(await idsBy('their-name')).toContainEqual(['transfer-by-party-reference', payout]);
  });

  it('takes a text of three characters, and the permission', async () => {
    expect((await ask('POST', 'search', { q: 'ab' })).status).toBe(400);
    await permit(api, 'ida', []);
    expect((await ask('POST', 'search', { q: payout })).status).toBe(403);
    await permit(api, 'ida', ['view', 'review', 'money', 'chain', 'security']);
  });
});

describe('the console', () => {
  const searched = async (q: string) => {
    const { text } = await page.get('/records');
    return page.post('/records', { ...hiddenOf(text, '/records'), q });
  };

  it('opens what is found alone, and lists what is not', async () => {
    const alone = await searched('their-name');
    expect([alone.status, alone.headers['location']]).toEqual([303, `/records/${payout}`]);
    await client.call('POST', '/v1/users', { externalId: PROCESSOR.last4 });
    const several = await searched(PROCESSOR.last4);
    expect(several.status).toBe(200);
    expect(several.text).toContain('data-finder="card-by-last-four"');
    expect(several.text).toContain('data-finder="user-by-external-id"');
    const nothing = await searched('nobody@example.com');
    expect([nothing.status, nothing.text]).toEqual([404, expect.stringContaining('Nothing is found')]);
  });

  it('refuses a search from another site, or without a session', async () => {
    expect((await page.post('/records', { q: payout })).status).toBe(403);
    expect((await visitor(desk.url).post('/records', { q: payout })).status).toBe(401);
  });
});
