import { z } from 'zod';
import { apiRoutes } from '../../src/composition';
import type { Route } from '../../src/http/route';
import { newId } from '../../src/kernel/ids';
import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard, fund, type TestCard } from '../support/cards';

/** Each list of records has pages and a period (decisions part 1). Exceptions are listed here. */

/** Lists that are returned whole. */
const WHOLE = [
  '/v1/bins',
  '/v1/cardholders/cities',
  '/v1/cardholders/occupations',
  '/v1/cardholders/regions',
  '/v1/exchange/rates',
  '/v1/exchange/settlement/balance',
  '/v1/exchange/withdrawal-destinations',
  '/v1/networks',
  '/v1/wallets/stats',
  '/v1/webhooks',
  '/v2/accounts/{accountId}/funding-options',
  '/v2/accounts/{accountId}/payout-options',
];

let api: TestApi;
let client: Client;
let admin: Client;
let card: TestCard;
let routes: Route[];
beforeAll(async () => {
  api = await testApi();
  routes = apiRoutes(api.services);
  client = await api.client();
  admin = await api.client('admin');
  card = await activeCard(api, client, '10.00');
  await fund(api, card.accountId, '10.00');
});
afterAll(() => api.close());

const isPage = ({ response }: Route): boolean =>
  response instanceof z.ZodObject && 'data' in response.shape && 'nextCursor' in response.shape;

const lists = () => routes.filter((each) => each.method === 'GET' && isPage(each));
const paged = () => lists().filter(({ path }) => !WHOLE.includes(path));
const fieldsOf = ({ query }: Route): string[] =>
  query instanceof z.ZodObject ? Object.keys(query.shape) : [];

/** The operator calls the operator’s lists. */
const caller = ({ role }: Route) => (role === 'admin' ? admin : client);

/** Fills in ids of existing records. */
const called = (path: string) =>
  path
    .replace('{accountId}', card.accountId)
    .replace('/accounts/{id}', `/accounts/${card.accountId}`)
    .replace('/cards/{id}', `/cards/${card.id}`)
    .replace('/users/{id}', `/users/${card.userId}`);

it('every list is either whole or has pages and a period', () => {
  expect(
    lists()
      .map(({ path }) => path)
      .filter((path) => WHOLE.includes(path))
      .sort(),
  ).toEqual(WHOLE);
  expect(paged().length).toBeGreaterThanOrEqual(12);
  for (const each of paged())
    expect([each.path, fieldsOf(each)]).toEqual([
      each.path,
      expect.arrayContaining(['from', 'to', 'limit', 'cursor']),
    ]);
});

it('refuses an invalid parameter in each list, naming it', async () => {
  for (const route of paged())
    for (const [field, value] of [
      ['from', 'yesterday'],
      ['to', '2026-13-01T00:00:00Z'],
      ['limit', '1000'],
      ['cursor', 'x'],
    ]) {
      const { path } = route;
      const { status, body } = await caller(route).call('GET', `${called(path)}?${field}=${value}`);
      expect([path, status, body.code, body.field]).toEqual([path, 400, 'invalid_request', field]);
    }
});

it('reads a date as its midnight in UTC, in every list', async () => {
  const before = '2000-01-01';
  for (const route of paged()) {
    const { path } = route;
    const read = (query: string) => caller(route).call('GET', `${called(path)}?limit=100&${query}`);
    const since = await read(`from=${before}`);
    expect([path, since.status, since.text]).toEqual([path, 200, (await read('')).text]);
    const until = await read(`to=${before}`);
    expect([path, until.status, until.body.data]).toEqual([path, 200, []]);
  }
});

it('refuses a value that a filter does not allow, naming it', async () => {
  for (const route of paged())
    for (const [field, shape] of Object.entries((route.query as z.ZodObject).shape)) {
      const { path } = route;
      const inner = shape instanceof z.ZodOptional ? shape.unwrap() : shape;
      if (!(inner instanceof z.ZodEnum) && field !== 'currency') continue;
      const { status, body } = await caller(route).call('GET', `${called(path)}?${field}=nonsense`);
      expect([path, status, body.field]).toEqual([path, 400, field]);
    }
});

it('refuses a text that no record can have in every filter of every list, naming it', async () => {
  for (const route of lists())
    for (const field of fieldsOf(route)) {
      const { path } = route;
      const { status, body } = await caller(route).call('GET', `${called(path)}?${field}=a%00b`);
      expect([path, field, status, body.code, body.field]).toEqual([
        path,
        field,
        400,
        'invalid_request',
        field,
      ]);
    }
});

it('finds nothing by an id that is unknown or malformed, in every list', async () => {
  const filters = paged().flatMap((route) =>
    fieldsOf(route).flatMap((field) => (field.endsWith('Id') ? [{ route, field }] : [])),
  );
  expect(filters.length).toBeGreaterThan(7);
  for (const { route, field } of filters)
    for (const id of [newId('account'), 'nonsense']) {
      const { path } = route;
      const { status, body } = await caller(route).call('GET', `${called(path)}?${field}=${id}`);
      expect([path, field, status, body.data]).toEqual([path, field, 200, []]);
    }
});

it('contains exactly the records of the period', async () => {
  const filled: string[] = [];
  for (const route of paged()) {
    const { path } = route;
    const read = async (query: string) => {
      const { status, body } = await caller(route).call('GET', `${called(path)}?limit=100&${query}`);
      expect([path, status]).toEqual([path, 200]);
      return body.data as Record<string, string>[];
    };
    const all = await read('');
    if (all.length > 0) filled.push(path);
    // Mixed histories call it `occurredAt`.
    const at = (item: Record<string, string>) => item['occurredAt'] ?? item['createdAt'] ?? '';
    for (const moment of new Set(all.map(at))) {
      expect([path, await read(`from=${moment}`)]).toEqual([path, all.filter((each) => at(each) >= moment)]);
      expect([path, await read(`to=${moment}`)]).toEqual([path, all.filter((each) => at(each) < moment)]);
    }
  }
  expect(filled.sort()).toEqual([
    '/v1/accounts',
    '/v1/accounts/{id}/transactions',
    '/v1/cardholders',
    '/v1/cards',
    '/v1/cards/{id}/transactions',
    '/v1/events',
    '/v1/transactions',
    '/v1/users',
    '/v1/users/{id}/card/transactions',
    '/v2/accounts',
    '/v2/accounts/{id}/transactions',
    '/v2/cards/{id}/transactions',
  ]);
});
