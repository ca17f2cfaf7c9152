import type { z } from 'zod';
import { apiRoutes } from '../../src/composition';
import { keyName } from '../../src/kernel/idempotency';
import { age, block, erase } from '../people/users/erase';
import { type Client, type TestApi, testApi } from '../support/api';

/** Stored answers that hold personal data. */

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
afterAll(() => api.close());

const META = {
  firstName: 'Ottoline',
  b: 1,
  '1': 'first',
  nested: { e: 'caf\u00e9 \u0000 "' },
  list: [1, null],
};
let keys = 0;
const newKey = () => ({ 'x-idempotency-key': `kept-${(keys += 1)}` });

const made = (key: Record<string, string>) =>
  client.call('POST', '/v1/users', { externalId: `Ottoline ${key['x-idempotency-key']}`, meta: META }, key);

const stored = async (key: Record<string, string>, scope = 'POST /v1/users'): Promise<string> => {
  const [row] = await api.database.query<{ body: string }>(
    'select body from idempotency_keys where name = $1',
    [keyName(client.clientId, scope, key['x-idempotency-key'] ?? '')],
  );
  return row?.body ?? '';
};

it('repeats an answer byte for byte, and stores none of its personal data', async () => {
  const key = newKey();
  const first = await made(key);
  expect(first).toMatchObject({ status: 201, body: { meta: META } });
  const again = await made(key);
  expect([again.status, again.text, again.headers.get('x-idempotent-replayed')]).toEqual([
    201,
    first.text,
    'true',
  ]);
  expect(await stored(key)).toContain(first.body.id);
  expect(await stored(key)).not.toMatch(/Ottoline|caf/);
});

it('repeats the same answer without personal data once the user was erased', async () => {
  const key = newKey();
  const { body } = await made(key);
  await block(api, client, body.id);
  await erase(api, body.id);
  const again = await made(key);
  expect(again.status).toBe(201);
  expect(again.body).toEqual({ ...body, externalId: '', meta: {} });
});

it('opens personal fields under their own key alone', async () => {
  const [one, other] = [newKey(), newKey()];
  await made(one);
  const { body } = await made(other);
  await api.database.query(
    'update personal_answers a set sealed = p.sealed from personal_answers p where p.user_id <> a.user_id',
  );
  expect([(await made(one)).status, (await made(other)).status]).toContain(500);
  await api.database.query('delete from personal_answers where user_id = $1', [body.id]);
  expect((await made(other)).body).toMatchObject({ id: body.id, meta: {} });
});

it('stores a refusal and an answer without personal data as they are', async () => {
  const key = newKey();
  const { body } = await made(newKey());
  await block(api, client, body.id);
  await age(api, body.id, 0);
  await api.database.query('update users set operator_blocked = true where id = $1', [body.id]);
  const path = `/v1/users/${body.id}/status`;
  const refused = await client.call('PATCH', path, { status: 'active' }, key);
  expect([refused.status, await stored(key, `PATCH ${path}`)]).toEqual([409, refused.text]);
  const quoteKey = newKey();
  const account = (await client.call('GET', '/v1/accounts?limit=1')).body.data[0].id;
  const asked = { method: 'sepa', amount: '1.00' };
  const quotes = `/v2/accounts/${account}/payout-quote`;
  const quoted = await client.call('POST', quotes, asked, quoteKey);
  expect(await stored(quoteKey, `POST ${quotes}`)).toBe(quoted.text);
});

it('seals each answer that has the fields which a reading shows as personal', () => {
  const named = (schema: z.ZodType | undefined) => schema?.meta()?.['id'];
  const routes = apiRoutes(api.services);
  const personal = new Map(
    routes
      .filter((each) => 'read' in each && each.personal)
      .map((each): [string | undefined, readonly string[]] => [named(each.response), each.personal ?? []]),
  );
  const writes = routes.filter((each) => 'write' in each && personal.has(named(each.response) ?? 'none'));
  expect(writes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'PATCH /v1/cardholders/{id}',
    'PATCH /v1/users/{id}',
    'PATCH /v1/users/{id}/kyc/notes',
    'PATCH /v1/users/{id}/kyc/status',
    'PATCH /v1/users/{id}/status',
    'POST /v1/cardholders/{id}/retry',
    'POST /v1/cardholders/{id}/submit',
    'POST /v1/corporate-banking/{companyId}/payouts',
    'POST /v1/events/{id}/resend',
    'POST /v1/users',
    'POST /v1/users/{id}/cardholder',
    'POST /v1/users/{id}/kyc/submit',
    'POST /v2/accounts/{accountId}/payouts',
  ]);
  for (const write of writes) {
    const { path, personal: fields } = write;
    expect([path, fields]).toEqual([path, personal.get(named(write.response) ?? 'none')]);
    expect([path, 'personOf' in write || 'personBefore' in write]).toEqual([path, true]);
  }
});
