import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiRoutes } from '../../../src/composition';
import { byClientHeaders, createApp } from '../../../src/http/app';
import { newId } from '../../../src/kernel/ids';
import { requireApprovedCardholder } from '../../../src/people/cardholders/operations';
import { createAuthenticator } from '../../../src/tenants/clients/authenticate';
import { type Client, type TestApi, testApi } from '../../support/api';

let api: TestApi;
let client: Client;
let other: Client;
let admin: Client;
beforeAll(async () => {
  api = await testApi();
  [client, other, admin] = await Promise.all([api.client(), api.client(), api.client('admin')]);
});
afterAll(() => api.close());

const B2B_USD = '44112200';
const B2C_USD = '44112201';
const B2B_EUR = '53112202';
const UNKNOWN_ACCOUNT = 'acc_01h455vb4pex5vsknk084sn02q';

let people = 0;
const person = (change: Record<string, unknown> = {}) => {
  people += 1;
  return { firstName: 'Jean', lastName: "D'Arc", email: `person${people}@example.com`, ...change };
};
async function userWith(meta: object, by = client, currency = 'USD') {
  const user = (await by.call('POST', '/v1/users', { meta })).body;
  const account = (await by.call('POST', `/v1/users/${user.id}/accounts`, { currency })).body;
  return { id: user.id as string, accountId: account.id as string };
}
const register = (
  user: { id: string; accountId: string },
  bin = B2B_USD,
  by = client,
  headers: Record<string, string> = {},
) => by.call('POST', `/v1/users/${user.id}/cardholder`, { accountId: user.accountId, bin }, headers);
const metaOf = async (id: string) => (await client.call('GET', `/v1/users/${id}`)).body.meta;
const recorded = async () =>
  (
    await api.database.query<Record<string, string>>(
      `select (select count(*) from cardholders) as cardholders, (select count(*) from events) as events,
              (select md5(string_agg(id || meta_sealed::text, ',' order by id)) from users) as metas`,
    )
  )[0];

describe('POST /v1/users/{id}/cardholder on a B2B BIN', () => {
  it('passes at once, shows masked personal data, and sends an event', async () => {
    const user = await userWith(
      person({ firstName: 'John', lastName: 'Doe', email: 'John.Doe@Example.com' }),
    );
    const answer = await register(user, B2B_USD, client, { 'x-idempotency-key': 'holder-1' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^chd_/),
      userId: user.id,
      accountId: user.accountId,
      bin: B2B_USD,
      model: 'B2B',
      status: 'pass_audit',
      submissions: 0,
      documents: [],
      maskedName: 'J*** D**',
      maskedEmail: 'j***@example.com',
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: answer.body.createdAt,
    });
    const [event] = await api.database.query<Record<string, string>>(
      `select * from events where event = 'cardholder.status_changed' and data::json ->> 'cardholderId' = $1`,
      [answer.body.id],
    );
    expect(event).toMatchObject({
      tenant_id: client.clientId,
      registration: 'cardholder',
      idempotency_key: 'holder-1',
    });
    expect(JSON.parse(event?.['data'] ?? '')).toEqual({
      id: expect.stringMatching(/^evt_/),
      cardholderId: answer.body.id,
      userId: user.id,
      bin: B2B_USD,
      status: 'pass_audit',
      previousStatus: null,
      timestamp: answer.body.createdAt,
    });
  });

  it('writes corrected values back to meta and leaves the rest', async () => {
    const meta = person({
      firstName: 'Žofie',
      lastName: 'Щукина',
      email: 'Zofie@example.com',
      phone: 'anything',
    });
    const user = await userWith(meta);
    expect((await register(user)).status).toBe(201);
    expect(await metaOf(user.id)).toEqual({
      ...meta,
      firstName: 'Zofie',
      lastName: expect.stringMatching(/^[A-Z][a-z]+$/),
    });
  });

  it('answers a repeat with the existing cardholder, whatever the data has become since', async () => {
    const user = await userWith(person());
    const first = await register(user);
    await client.call('PATCH', `/v1/users/${user.id}`, { meta: { firstName: '123' } });
    const second = await register(user);
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    const key = { 'x-idempotency-key': 'repeat' };
    const third = await register(user, B2B_USD, client, key);
    const fourth = await register(user, B2B_USD, client, key);
    expect([third.status, fourth.status]).toEqual([200, 200]);
    expect(fourth.headers.get('x-idempotent-replayed')).toBe('true');
    expect(fourth.text).toBe(third.text);
  });

  it('creates one cardholder when fifty requests arrive together', async () => {
    const user = await userWith(person());
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(user)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const events = await api.database.query(
      `select 1 from events where event = 'cardholder.status_changed' and data::json ->> 'userId' = $1`,
      [user.id],
    );
    expect(events).toHaveLength(1);
  });

  it('gives an email to one cardholder per tenant and BIN, whatever its case, when requests arrive together', async () => {
    const users = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        userWith(person({ email: index % 2 ? 'Same@Example.com' : 'same@example.com' })),
      ),
    );
    const answers = await Promise.all(users.map((user) => register(user)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201))
      expect({ status, ...body }).toMatchObject({ status: 400, code: 'ErrAlreadyExists', field: 'email' });
    const foreign = await userWith(person({ email: 'SAME@example.com' }), other);
    expect((await register(foreign, B2B_USD, other)).status).toBe(201);
    const elsewhere = await userWith(person({ email: 'same@example.com' }), client, 'EUR');
    expect((await register(elsewhere, B2B_EUR)).status).toBe(201);
  });

  it('accepts a master account, and refuses another user’s account', async () => {
    const [one, two] = await Promise.all([userWith(person()), userWith(person())]);
    const { body } = await client.call('GET', '/v1/accounts?currency=USD&ownerType=client');
    const wrong = await register({ id: one.id, accountId: two.accountId });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_request', field: 'accountId' } });
    expect((await register({ id: one.id, accountId: body.data[0].id })).status).toBe(201);
  });

  const metas: [Record<string, unknown>, string][] = [
    [{ firstName: undefined }, 'firstName'],
    [{ firstName: 'Test' }, 'firstName'],
    [{ firstName: 7 }, 'firstName'],
    [{ lastName: 'x'.repeat(41) }, 'lastName'],
    [{ lastName: '李' }, 'lastName'],
    [{ email: 'nobody' }, 'email'],
    [{ email: `${'x'.repeat(50)}@example.com` }, 'email'],
  ];
  it.each(metas)('meta with %j is a 400 that names %s, and records nothing', async (change, field) => {
    const user = await userWith(person(change));
    const before = await recorded();
    const answer = await register(user);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', field } });
    expect(answer.body.message).toContain(field);
    expect(await recorded()).toEqual(before);
  });

  it('refuses in the order of the checks, and records nothing', async () => {
    const user = await userWith(person({ firstName: '123' }));
    const foreign = await userWith(person(), other);
    await client.call('POST', `/v1/users/${user.id}/bins`, { bin: B2B_USD, enabled: false });
    await client.call('PATCH', `/v1/users/${user.id}/status`, { status: 'blocked' });
    const path = `/v1/users/${user.id}/cardholder`;
    const { accountId } = user;
    const before = await recorded();
    const expectations: [string, unknown, number, string, string?][] = [
      [path, { accountId }, 400, 'invalid_request', 'bin'],
      [path, { bin: B2B_USD }, 400, 'invalid_request', 'accountId'],
      [path, { accountId, bin: 44112200 }, 400, 'invalid_request', 'bin'],
      [path, { accountId, bin: B2B_USD, name: 'x' }, 400, 'invalid_request', 'name'],
      [`/v1/users/${foreign.id}/cardholder`, { accountId, bin: B2B_USD }, 404, 'not_found'],
      ['/v1/users/nonsense/cardholder', { accountId, bin: B2B_USD }, 404, 'not_found'],
      [path, { accountId: foreign.accountId, bin: B2B_USD }, 404, 'not_found', 'accountId'],
      [path, { accountId: UNKNOWN_ACCOUNT, bin: 'nonsense' }, 404, 'not_found', 'accountId'],
      [path, { accountId, bin: '99999999' }, 404, 'not_found', 'bin'],
      [path, { accountId, bin: B2B_EUR }, 400, 'invalid_request', 'bin'],
      [path, { accountId, bin: B2B_USD }, 400, 'invalid_request', 'firstName'],
    ];
    for (const [address, body, status, code, field] of expectations) {
      const answer = await client.call('POST', address, body);
      expect({ body, status: answer.status, ...answer.body }).toMatchObject({ body, status, code });
      expect(answer.body.field).toBe(field);
    }
    expect(await recorded()).toEqual(before);

    await client.call('PATCH', `/v1/users/${user.id}`, { meta: { firstName: 'Élodie' } });
    const valid = await recorded();
    expect(await register(user)).toMatchObject({ status: 409, body: { code: 'user_blocked' } });
    await client.call('PATCH', `/v1/users/${user.id}/status`, { status: 'active' });
    expect(await register(user)).toMatchObject({ status: 409, body: { code: 'bin_closed', field: 'bin' } });
    expect(await recorded()).toEqual(valid); // no corrected value was written either
    await client.call('POST', `/v1/users/${user.id}/bins`, { bin: B2B_USD });
    expect((await register(user)).status).toBe(201);
  });

  it('refuses malformed JSON, other types, large bodies and other methods', async () => {
    const path = `/v1/users/${(await userWith(person())).id}/cardholder`;
    expect((await client.call('POST', path, '{')).status).toBe(400);
    expect((await client.call('POST', path, 'x', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await client.call('POST', path, { bin: 'x'.repeat(1024 * 1024) })).status).toBe(413);
    const method = await client.call('PUT', path, {});
    expect(method).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
  });
});

describe('POST /v1/users/{id}/cardholder on a B2C BIN', () => {
  const identity = () => {
    const [city] = api.services.reference.cities('GB');
    const [occupation] = api.services.reference.occupations();
    return person({
      phone: '7400123456',
      phoneCode: '+44',
      birthday: '1990-01-31',
      country: 'GB',
      town: city?.code,
      address: '1 High Street',
      postCode: 'SW1A 1AA',
      gender: 'F',
      idType: 'PASSPORT',
      idNo: '123456789',
      idIssueDate: '2020-01-01',
      nationality: 'GB',
      occupation: occupation?.code,
    });
  };

  it('names missing or wrong fields before it requires KYC', async () => {
    const user = await userWith(person());
    expect(await register(user, B2C_USD)).toMatchObject({ status: 400, body: { field: 'phone' } });
  });

  it('requires completed KYC, then documents, before any conflict', async () => {
    const user = await userWith(identity());
    await client.call('PATCH', `/v1/users/${user.id}/status`, { status: 'blocked' });
    const before = await recorded();
    expect(await register(user, B2C_USD)).toMatchObject({ status: 412, body: { code: 'kyc_not_completed' } });
    await api.database.query(`update users set kyc_status = 'completed' where id = $1`, [user.id]);
    expect(await register(user, B2C_USD)).toMatchObject({ status: 412, body: { code: 'documents_missing' } });
    expect(await recorded()).toEqual(before);
  });
});

describe('reading cardholders', () => {
  it('by id, by user and as a list with filters', async () => {
    const fresh = await api.client();
    const usd = await userWith(person(), fresh);
    const first = (await register(usd, B2B_USD, fresh)).body;
    const account = (await fresh.call('POST', `/v1/users/${usd.id}/accounts`, { currency: 'EUR' })).body;
    const second = (await register({ id: usd.id, accountId: account.id }, B2B_EUR, fresh)).body;
    const third = (await register(await userWith(person(), fresh), B2B_USD, fresh)).body;
    const get = async (path: string) => (await fresh.call('GET', path)).body;
    expect(await get(`/v1/cardholders/${first.id}`)).toEqual(first);
    expect(await get(`/v1/users/${usd.id}/cardholder`)).toEqual(second);
    expect(await get(`/v1/users/${usd.id}/cardholder?bin=${B2B_USD}`)).toEqual(first);
    expect(await get('/v1/cardholders')).toEqual({
      data: [third, second, first],
      hasMore: false,
      nextCursor: null,
    });
    expect((await get(`/v1/cardholders?userId=${usd.id}`)).data).toEqual([second, first]);
    expect((await get(`/v1/cardholders?bin=${B2B_EUR}`)).data).toEqual([second]);
    expect((await get('/v1/cardholders?status=pass_audit')).data).toHaveLength(3);
    expect((await get('/v1/cardholders?status=reject')).data).toEqual([]);

    const one = await get('/v1/cardholders?limit=1');
    const two = await get(`/v1/cardholders?limit=1&cursor=${one.nextCursor}`);
    const three = await get(`/v1/cardholders?limit=1&cursor=${two.nextCursor}`);
    expect([one, two, three].map((page) => [page.data[0].id, page.hasMore])).toEqual([
      [third.id, true],
      [second.id, true],
      [first.id, false],
    ]);
  });

  it('is 404 for an unknown cardholder or another tenant’s, 400 for a wrong filter', async () => {
    const user = await userWith(person());
    const foreign = await userWith(person(), other);
    const { id } = (await register(foreign, B2B_USD, other)).body;
    for (const path of [
      `/v1/cardholders/${id}`,
      '/v1/cardholders/nonsense',
      '/v1/cardholders/%00',
      `/v1/users/${user.id}/cardholder`,
      `/v1/users/${foreign.id}/cardholder`,
    ])
      expect(await client.call('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    for (const query of ['status=approved', 'limit=0', 'cursor=x', 'bin=%00', 'userId=%00'])
      expect(await client.call('GET', `/v1/cardholders?${query}`)).toMatchObject({
        status: 400,
        body: { field: query.split('=')[0] },
      });
    expect((await admin.call('GET', `/v1/cardholders/${id}`)).status).toBe(200);
  });
});

it('registers a user of another tenant for an admin, within that tenant, and records it in the audit log', async () => {
  const user = await userWith(person());
  const answer = await register(user, B2B_USD, admin);
  expect(answer.status).toBe(201);
  expect((await client.call('GET', `/v1/cardholders/${answer.body.id}`)).body).toEqual(answer.body);
  expect(
    await api.database.query('select actor, action, tenant_id, after from audit_log where subject = $1', [
      answer.body.id,
    ]),
  ).toEqual([
    {
      actor: admin.clientId,
      action: 'users.create-cardholder',
      tenant_id: client.clientId,
      after: { status: 'pass_audit' },
    },
  ]);
});

it('lets cards be issued only to an approved cardholder of the tenant', async () => {
  const { body } = await register(await userWith(person()));
  const approved = (reach: string | null, id = body.id) =>
    requireApprovedCardholder(api.database, reach, id, 'f');
  expect((await approved(client.clientId)).id).toBe(body.id);
  await expect(approved(other.clientId)).rejects.toMatchObject({ status: 404, field: 'f' });
  await expect(approved(null, newId('cardholder'))).rejects.toMatchObject({ status: 404 });
  await api.database.query(`update cardholders set status = 'reject' where id = $1`, [body.id]);
  await expect(approved(null)).rejects.toMatchObject({ status: 409, code: 'cardholder_not_approved' });
});

describe('code lists', () => {
  it('are one page each, in the shape of a list', async () => {
    const regions = await client.call('GET', '/v1/cardholders/regions');
    expect(regions).toMatchObject({ status: 200, body: { hasMore: false, nextCursor: null } });
    expect(regions.body.data).toContainEqual({ code: 'GB', name: expect.stringContaining('United Kingdom') });
    expect((await client.call('GET', '/v1/cardholders/occupations')).body.data.length).toBe(436);
    const cities = (await client.call('GET', '/v1/cardholders/cities?region=GB')).body.data;
    expect(cities).toContainEqual({ code: '2643743', name: 'London' });
  });

  it('refuse a missing or unknown region, naming the field', async () => {
    for (const query of ['', '?region=', '?region=gb', '?region=ZZ', '?region=../regions', '?region=%00'])
      expect(await client.call('GET', `/v1/cardholders/cities${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', field: 'region' },
      });
    expect((await api.call('GET', '/v1/cardholders/regions')).status).toBe(401);
    expect((await client.call('POST', '/v1/cardholders/regions', {})).status).toBe(405);
  });

  it('may be cached and revalidated', async () => {
    const { database, keyring, log } = api.services;
    const app = createApp({
      database,
      log,
      routes: apiRoutes(api.services),
      authenticate: byClientHeaders(createAuthenticator(database, keyring)),
      observe: () => undefined,
    });
    const handler = app.callback();
    const server = createServer((request, response) => void handler(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const credential = { 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret };
    const get = (path: string, tag?: string) =>
      fetch(base + path, { headers: tag ? { ...credential, 'if-none-match': tag } : credential });
    try {
      const first = await get('/v1/cardholders/cities?region=GB');
      const tag = first.headers.get('etag') ?? '';
      expect(tag).toMatch(/^W\/"[\w-]+"$/);
      expect(first.headers.get('cache-control')).toBe('private, max-age=3600');
      const again = await get('/v1/cardholders/cities?region=GB', tag);
      expect([again.status, again.headers.get('etag')]).toEqual([304, tag]);
      expect((await get('/v1/cardholders/cities?region=GB', `"other", ${tag}`)).status).toBe(304);
      expect((await get('/v1/cardholders/cities?region=GB', '"other"')).status).toBe(200);
      const others = await get('/v1/cardholders/cities?region=FR', tag);
      expect(others.status).toBe(200);
      expect((await get('/v1/users', '*')).status).toBe(200);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
