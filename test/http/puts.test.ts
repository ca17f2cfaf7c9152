import { apiRoutes } from '../../src/composition';
import { type GasWorld, gasWorld, TERMS } from '../chain/gas-station/support';
import type { Client } from '../support/api';
import { activeCard, simulate, type TestCard } from '../support/cards';

/** PUT accepts the answer of GET, because clients change one field and send the others unchanged. */

let world: GasWorld;
let client: Client;
let card: TestCard;
beforeAll(async () => {
  world = await gasWorld();
  client = await world.api.client();
  card = await activeCard(world.api, client, '100.00');
  const version = (await world.admin.call('GET', '/v1/gas-station/config/local')).body.version;
  const set = await world.admin.call('PUT', '/v1/gas-station/config/local', { ...TERMS, version });
  expect(set.status).toBe(200);
});
afterAll(() => world.close());

/** Addresses of all PUTs with a GET of the same path. */
const ADDRESSES: Record<string, () => string> = {
  '/v1/gas-station/config/{chain}': () => '/v1/gas-station/config/local',
  '/v1/networks/{chain}': () => '/v1/networks/local',
  '/v1/users/{id}/limits': () => `/v1/users/${card.userId}/limits`,
  '/v2/cards/{id}/limits': () => `/v2/cards/${card.id}/limits`,
};
const paths = Object.keys(ADDRESSES);
const addressOf = (path: string) => ADDRESSES[path]?.() ?? '';

it('every such PUT is tested here', () => {
  const routes = apiRoutes(world.api.services);
  const of = (method: string) => routes.filter((each) => each.method === method).map(({ path }) => path);
  expect(
    of('PUT')
      .filter((path) => of('GET').includes(path))
      .sort(),
  ).toEqual(paths);
});

it.each(paths)(
  '%s accepts the answer of GET, and changes nothing but the version and its time',
  async (path) => {
    const { body: before } = await world.admin.call('GET', addressOf(path));
    const { status, body } = await world.admin.call('PUT', addressOf(path), before);
    expect([status, body]).toEqual([
      200,
      {
        ...before,
        version: before.version + 1,
        ...(before.updatedAt === undefined ? {} : { updatedAt: expect.any(String) }),
      },
    ]);
    expect((await world.admin.call('GET', addressOf(path))).body).toEqual(body);
  },
);

it.each(paths)('%s accepts its own answer', async (path) => {
  const { body: before } = await world.admin.call('GET', addressOf(path));
  const { body: first } = await world.admin.call('PUT', addressOf(path), before);
  const { status, body } = await world.admin.call('PUT', addressOf(path), first);
  expect([status, body.version]).toEqual([200, before.version + 2]);
});

it.each([
  ['/v2/cards/{id}/limits', { cardId: 'card_other' }, 'cardId'],
  ['/v2/cards/{id}/limits', { currency: 'EUR' }, 'currency'],
  ['/v2/cards/{id}/limits', { programme: {} }, 'programme'],
  ['/v1/users/{id}/limits', { userId: 'usr_other' }, 'userId'],
  ['/v1/networks/{chain}', { updatedAt: '2026-01-01T00:00:00.000Z' }, 'updatedAt'],
  ['/v1/gas-station/config/{chain}', { updatedAt: '2026-01-01T00:00:00.000Z' }, 'updatedAt'],
])('%s refuses %j, which is read-only, and changes nothing', async (path, other, field) => {
  const { body: before } = await world.admin.call('GET', addressOf(path));
  const { status, body } = await world.admin.call('PUT', addressOf(path), { ...before, ...other });
  expect([status, body.code, body.field]).toEqual([400, 'invalid_request', field]);
  expect((await world.admin.call('GET', addressOf(path))).body).toEqual(before);
});

it('accepts outdated values of changing fields in limits', async () => {
  const address = addressOf('/v2/cards/{id}/limits');
  const { body: before } = await client.call('GET', address);
  await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
  expect((await client.call('PUT', address, before)).status).toBe(200);
});
