import type { Scope } from '../../../src/kernel/scopes';
import { revokeSecrets, signingSecret } from '../../../src/tenants/clients/secrets';
import { type Client, type TestApi, testApi } from '../../support/api';
import { narrowedHeaders } from '../../support/secrets';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
});
beforeEach(async () => {
  client = await api.client();
});
afterAll(() => api.close());

const HERE = '127.0.0.0/8';
const ELSEWHERE = '203.0.113.0/24';

const statusOf = async (headers: Record<string, string>) =>
  (await api.call('GET', '/v1/accounts', undefined, headers)).status;
const rotated = async (headers: Record<string, string>, overlapSeconds = 3_600) => {
  const { status, body } = await api.call('POST', '/v1/client/secret/rotate', { overlapSeconds }, headers);
  return { status, headers: { ...headers, 'x-client-secret': String(body.clientSecret) } };
};
const mainHeaders = () => ({ 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret });
const eventsOf = async () =>
  (
    await api.database.query<{ event: string; data: string }>(
      `select event, data from events where tenant_id = $1 and event like 'client.%' order by number`,
      [client.clientId],
    )
  ).map(({ event, data }) => ({ event, data: JSON.parse(data) as Record<string, unknown> }));

it('accepts a secret from its addresses only, and answers others like a wrong secret', async () => {
  const here = await narrowedHeaders(api, client.clientId, { addresses: [ELSEWHERE, HERE] });
  const elsewhere = await narrowedHeaders(api, client.clientId, { addresses: [ELSEWHERE] });
  expect([await statusOf(here), await statusOf(elsewhere)]).toEqual([200, 401]);
  const bodyOf = async (headers: Record<string, string>) => {
    const { body } = await api.call('GET', '/v1/accounts', undefined, headers);
    return { ...body, requestId: '' };
  };
  expect(await bodyOf(elsewhere)).toEqual(
    await bodyOf({ 'x-client-id': client.clientId, 'x-client-secret': 'wrong' }),
  );
});

it('keeps two valid secrets of each name, and rotates each name by itself', async () => {
  const scopes: Scope[] = ['read', 'manage'];
  const first = await narrowedHeaders(api, client.clientId, { name: 'reporting', scopes });
  const second = await rotated(first);
  const third = await rotated(second.headers);
  expect([second.status, third.status]).toEqual([201, 201]);
  expect(await Promise.all([first, second.headers, third.headers].map(statusOf))).toEqual([401, 200, 200]);
  const fourth = await rotated(third.headers, 0);
  expect(await Promise.all([third.headers, fourth.headers, mainHeaders()].map(statusOf))).toEqual([
    401, 200, 200,
  ]);
  expect((await rotated(mainHeaders())).status).toBe(201);
  expect(await statusOf(fourth.headers)).toBe(200);
});

it('gives a rotated secret the scopes and addresses of the old one', async () => {
  const old = await narrowedHeaders(api, client.clientId, {
    scopes: ['read', 'manage'],
    addresses: [HERE],
  });
  const { headers } = await rotated(old);
  const refused = await api.call('POST', '/v1/users', {}, headers);
  expect(refused).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
  const [stored] = await api.database.query<{ addresses: string[] }>(
    'select addresses from credentials where tenant_id = $1 order by id desc limit 1',
    [client.clientId],
  );
  expect(stored?.addresses).toEqual([HERE]);
});

it('signs webhooks with the newest secret named main alone', async () => {
  await narrowedHeaders(api, client.clientId, { name: 'reporting' });
  const signing = await signingSecret(api.database, api.services.keyring, client.clientId);
  expect(signing.toString()).toBe(client.clientSecret);
});

it('tells the tenant of each secret that is added, rotated or revoked, without any secret', async () => {
  const named = { name: 'reporting', scopes: ['read', 'manage'] as Scope[], addresses: [HERE] };
  const first = await narrowedHeaders(api, client.clientId, named);
  const second = await rotated(first);
  await api.database.transaction((tx) =>
    revokeSecrets(tx, client.clientId, { name: 'reporting', currentEndsIn: 0 }, new Date()),
  );
  api.services.access.forget(client.clientId);
  expect(await Promise.all([first, second.headers, mainHeaders()].map(statusOf))).toEqual([401, 401, 200]);
  const told = await eventsOf();
  const { clientId } = client;
  expect(told).toMatchObject([
    { event: 'client.secret_added', data: { clientId, ...named } },
    {
      event: 'client.secret_rotated',
      data: { clientId, name: 'reporting', overlapEndsAt: expect.any(String) },
    },
    { event: 'client.secret_revoked', data: { clientId, name: 'reporting', live: 0 } },
  ]);
  const text = JSON.stringify(told);
  for (const headers of [first, second.headers]) expect(text).not.toContain(headers['x-client-secret']);
  const events = (await client.call('GET', `/v1/events?recordId=${clientId}`)).body.data;
  expect(events.map(({ event }: { event: string }) => event)).toEqual([
    'client.secret_revoked',
    'client.secret_rotated',
    'client.secret_added',
  ]);
});

it('refuses a second current secret of a name, and a name too many', async () => {
  await expect(narrowedHeaders(api, client.clientId, { name: 'main' })).rejects.toMatchObject({
    status: 409,
    code: 'invalid_transition',
    field: 'name',
  });
  for (let each = 1; each < 20; each += 1)
    await narrowedHeaders(api, client.clientId, { name: `name-${each}` });
  await expect(narrowedHeaders(api, client.clientId, { name: 'one-more' })).rejects.toMatchObject({
    status: 409,
    code: 'limit_exceeded',
  });
});
