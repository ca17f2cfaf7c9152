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

const UNKNOWN = 'usr_01h455vb4pex5vsknk084sn02q';
const create = async (body: unknown = {}, by = client) => (await by.call('POST', '/v1/users', body)).body;
const countUsers = async () =>
  Number((await api.database.query<{ n: string }>('select count(*) as n from users'))[0]?.n);

describe('a user', () => {
  it('is created with meta as given, read and listed', async () => {
    const meta = { zebra: 1, firstName: 'Ada', nested: { a: [1, null, 'é\u0000'] }, alpha: true };
    const created = await client.call('POST', '/v1/users', { externalId: 'ada-1', meta });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
      externalId: 'ada-1',
      status: 'active',
      meta,
      kycStatus: 'not_started',
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updatedAt: created.body.createdAt,
    });
    const read = await client.call('GET', `/v1/users/${created.body.id}`);
    expect(read.text).toBe(created.text); // the fields of meta in the same order
    const listed = await client.call('GET', '/v1/users?externalId=ada-1&status=active&kycStatus=not_started');
    expect(listed.body).toEqual({ data: [created.body], hasMore: false, nextCursor: null });
    expect((await client.call('GET', '/v1/users?externalId=ada-1&status=blocked')).body.data).toEqual([]);
  });

  it('is created from an empty body', async () => {
    const answer = await client.call('POST', '/v1/users');
    expect(answer).toMatchObject({ status: 201, body: { meta: {}, status: 'active' } });
  });

  it('has an externalId that is unique per tenant', async () => {
    await create({ externalId: 'twice' });
    const again = await client.call('POST', '/v1/users', { externalId: 'twice' });
    expect(again).toMatchObject({ status: 400, body: { code: 'ErrAlreadyExists', field: 'externalId' } });
    expect((await other.call('POST', '/v1/users', { externalId: 'twice' })).status).toBe(201);
  });

  it('accepts meta up to 16 KiB', async () => {
    const overhead = Buffer.byteLength(JSON.stringify({ text: '' }));
    const fits = { text: 'x'.repeat(16 * 1024 - overhead) };
    expect((await client.call('POST', '/v1/users', { meta: fits })).status).toBe(201);
    const above = await client.call('POST', '/v1/users', { meta: { text: `${fits.text}x` } });
    expect(above).toMatchObject({ status: 400, body: { code: 'invalid_request', field: 'meta' } });
    // A character of two bytes counts twice.
    const bytes = await client.call('POST', '/v1/users', { meta: { text: 'é'.repeat(8 * 1024) } });
    expect(bytes).toMatchObject({ status: 400, body: { field: 'meta' } });
  });

  it('keeps any JSON object, whatever its names and characters', async () => {
    const text = '{"meta":{"__proto__":{"admin":true},"constructor":1,"half":"\\ud800","":null}}';
    const created = await client.call('POST', '/v1/users', text);
    expect(created.status).toBe(201);
    expect(created.text).toContain(
      '"meta":{"__proto__":{"admin":true},"constructor":1,"half":"\\ud800","":null}',
    );
    const patched = await client.call('PATCH', `/v1/users/${created.body.id}`, '{"meta":{"a":"\\u0000"}}');
    expect(patched.text).toContain('"__proto__":{"admin":true}');
  });
});

describe('PATCH /v1/users/{id}', () => {
  it('merges meta field by field, and null removes a field', async () => {
    const { id, createdAt } = await create({
      meta: { a: 1, b: { deep: true, kept: false }, c: 'x', given: null },
    });
    const patched = await client.call('PATCH', `/v1/users/${id}`, {
      meta: { b: { deep: 2 }, c: null, d: 0 },
    });
    expect(patched).toMatchObject({ status: 200, body: { createdAt } });
    expect(patched.body.meta).toEqual({ a: 1, b: { deep: 2 }, given: null, d: 0 });
    expect((await client.call('GET', `/v1/users/${id}`)).body).toEqual(patched.body);
  });

  it('refuses a result above 16 KiB and leaves meta as it was', async () => {
    const { id } = await create({ meta: { a: 'x'.repeat(9_000) } });
    const answer = await client.call('PATCH', `/v1/users/${id}`, { meta: { b: 'x'.repeat(9_000) } });
    expect(answer).toMatchObject({ status: 400, body: { field: 'meta' } });
    expect(Object.keys((await client.call('GET', `/v1/users/${id}`)).body.meta)).toEqual(['a']);
  });

  it('loses no field when two patches arrive together', async () => {
    const { id } = await create();
    const fields = Array.from({ length: 20 }, (_, index) => `field${index}`);
    await Promise.all(fields.map((name) => client.call('PATCH', `/v1/users/${id}`, { meta: { [name]: 1 } })));
    expect(Object.keys((await client.call('GET', `/v1/users/${id}`)).body.meta).sort()).toEqual(
      fields.sort(),
    );
  });
});

describe('PATCH /v1/users/{id}/status', () => {
  it('blocks with a reason and unblocks', async () => {
    const { id } = await create();
    const blocked = await client.call('PATCH', `/v1/users/${id}/status`, {
      status: 'blocked',
      reason: 'fraud',
    });
    expect(blocked).toMatchObject({ status: 200, body: { status: 'blocked', statusReason: 'fraud' } });
    const active = await client.call('PATCH', `/v1/users/${id}/status`, { status: 'active' });
    expect(active.body.status).toBe('active');
    expect(active.body).not.toHaveProperty('statusReason');
  });
});

describe('POST /v1/users/{id}/accounts', () => {
  it('opens one account per currency', async () => {
    const { id } = await create();
    const opened = await client.call('POST', `/v1/users/${id}/accounts`, { currency: 'JPY' });
    expect(opened).toMatchObject({
      status: 201,
      body: {
        ownerType: 'user',
        userId: id,
        currency: 'JPY',
        status: 'active',
        balance: { available: '0', pending: '0' },
      },
    });
    const again = await client.call('POST', `/v1/users/${id}/accounts`, { currency: 'JPY' });
    expect(again.status).toBe(200);
    expect(again.body).toEqual(opened.body);
  });

  it('opens one account when many requests arrive together', async () => {
    const { id } = await create();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.call('POST', `/v1/users/${id}/accounts`, { currency: 'EUR' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });
});

describe('POST /v1/users/{id}/bins', () => {
  it('enables by default, and disables', async () => {
    const { id } = await create();
    const path = `/v1/users/${id}/bins`;
    const first = await client.call('POST', path, { bin: '44112200' });
    expect(first).toMatchObject({ status: 201, body: { userId: id, bin: '44112200', enabled: true } });
    const second = await client.call('POST', path, { bin: '44112200', enabled: false });
    expect(second).toMatchObject({ status: 200, body: { userId: id, bin: '44112200', enabled: false } });
  });

  it('answers 404 for a BIN that the tenant is not admitted to', async () => {
    const { id } = await create();
    for (const bin of ['99999999', 'nonsense', '\u0000']) {
      const answer = await client.call('POST', `/v1/users/${id}/bins`, { bin });
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', field: 'bin' } });
    }
  });
});

describe('bad input', () => {
  const cases: [string, string, unknown, string][] = [
    ['POST', '/v1/users', { externalId: 7 }, 'externalId'],
    ['POST', '/v1/users', { externalId: '' }, 'externalId'],
    ['POST', '/v1/users', { externalId: 'x'.repeat(101) }, 'externalId'],
    ['POST', '/v1/users', { externalId: 'a\u0000' }, 'externalId'],
    ['POST', '/v1/users', { meta: [] }, 'meta'],
    ['POST', '/v1/users', { meta: null }, 'meta'],
    ['POST', '/v1/users', { meta: 'text' }, 'meta'],
    ['POST', '/v1/users', { name: 'Ada' }, 'name'],
    ['PATCH', '/v1/users/{id}', {}, 'meta'],
    ['PATCH', '/v1/users/{id}', { meta: {}, status: 'blocked' }, 'status'],
    ['PATCH', '/v1/users/{id}/status', {}, 'status'],
    ['PATCH', '/v1/users/{id}/status', { status: 'gone' }, 'status'],
    ['PATCH', '/v1/users/{id}/status', { status: 'blocked', reason: 1 }, 'reason'],
    ['PATCH', '/v1/users/{id}/status', { status: 'blocked', why: 'x' }, 'why'],
    ['POST', '/v1/users/{id}/accounts', {}, 'currency'],
    ['POST', '/v1/users/{id}/accounts', { currency: 'usd' }, 'currency'],
    ['POST', '/v1/users/{id}/accounts', { currency: 840 }, 'currency'],
    ['POST', '/v1/users/{id}/bins', {}, 'bin'],
    ['POST', '/v1/users/{id}/bins', { bin: 44112200 }, 'bin'],
    ['POST', '/v1/users/{id}/bins', { bin: '44112200', enabled: 'yes' }, 'enabled'],
    ['GET', '/v1/users?limit=0', undefined, 'limit'],
    ['GET', '/v1/users?limit=101', undefined, 'limit'],
    ['GET', '/v1/users?cursor=nonsense', undefined, 'cursor'],
    ['GET', '/v1/users?status=gone', undefined, 'status'],
  ];

  it.each(cases)('%s %s %j names %s and records nothing', async (method, path, body, field) => {
    const { id, ...before } = await create({ meta: { kept: true } });
    const users = await countUsers();
    const answer = await client.call(method, path.replace('{id}', id), body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', field } });
    expect(answer.body.message).toContain(field);
    expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'));
    expect(await countUsers()).toBe(users);
    expect((await client.call('GET', `/v1/users/${id}`)).body).toEqual({ id, ...before });
  });

  it('survives deeply nested JSON', async () => {
    const deep = `{"meta":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
    const answer = await client.call('POST', '/v1/users', deep, { 'x-idempotency-key': 'deep' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('refuses a forged cursor that would make the database fail', async () => {
    const cursor = Buffer.from(JSON.stringify(['\u0000'])).toString('base64url');
    expect(await client.call('GET', `/v1/users?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { field: 'cursor' },
    });
  });

  it('refuses malformed JSON, other types, large bodies and other methods', async () => {
    expect((await client.call('POST', '/v1/users', '{"meta":')).status).toBe(400);
    expect((await client.call('POST', '/v1/users', '[]')).status).toBe(400);
    const typed = await client.call('POST', '/v1/users', 'meta=1', { 'content-type': 'text/plain' });
    expect(typed).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    const large = await client.call('POST', '/v1/users', { meta: { a: 'x'.repeat(1024 * 1024) } });
    expect(large).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    const method = await client.call('DELETE', '/v1/users');
    expect(method).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(method.headers.get('allow')).toBe('GET, POST');
  });

  const byId: [string, string, unknown][] = [
    ['GET', '/v1/users/{id}', undefined],
    ['PATCH', '/v1/users/{id}', { meta: { stolen: true } }],
    ['PATCH', '/v1/users/{id}/status', { status: 'blocked' }],
    ['POST', '/v1/users/{id}/accounts', { currency: 'USD' }],
    ['POST', '/v1/users/{id}/bins', { bin: '44112200' }],
    ['GET', '/v1/users/{id}/account/transactions', undefined],
  ];
  it.each(byId)(
    '%s %s is 404 for an id of another tenant, unknown or malformed',
    async (method, path, body) => {
      const before = await create({ meta: { kept: true } }, other);
      for (const id of [before.id, UNKNOWN, 'nonsense', '%00', 'acc_01h455vb4pex5vsknk084sn02q']) {
        const answer = await client.call(method, path.replace('{id}', id), body);
        expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
        expect(answer.body).not.toHaveProperty('field');
      }
      expect((await other.call('GET', `/v1/users/${before.id}`)).body).toEqual(before);
      expect((await other.call('GET', `/v1/accounts?userId=${before.id}`)).body.data).toEqual([]);
    },
  );
});

it('misses and repeats no user on pages, newest first, while others are created', async () => {
  const pager = await api.client();
  const ids: string[] = [];
  for (let index = 0; index < 11; index += 1) ids.push((await create({}, pager)).id);
  const seen: string[] = [];
  let cursor = '';
  for (let pages = 0; ; pages += 1) {
    const { body } = await pager.call('GET', `/v1/users?limit=4${cursor}`);
    seen.push(...body.data.map((user: { id: string }) => user.id));
    if (pages === 0) await create({}, pager);
    if (!body.hasMore) {
      expect(body.nextCursor).toBeNull();
      break;
    }
    cursor = `&cursor=${body.nextCursor}`;
  }
  expect(seen).toEqual(ids.reverse());
});

it('repeats its answer byte for byte, and has one effect when requests arrive together', async () => {
  const key = { 'x-idempotency-key': 'user-once' };
  const before = await countUsers();
  const first = await client.call('POST', '/v1/users', { meta: { a: 1 } }, key);
  const second = await client.call('POST', '/v1/users', { meta: { a: 1 } }, key);
  expect(second.status).toBe(201);
  expect(second.text).toBe(first.text);
  expect(second.headers.get('x-idempotent-replayed')).toBe('true');
  expect(await countUsers()).toBe(before + 1);
  const reused = await client.call('POST', '/v1/users', { meta: { a: 2 } }, key);
  expect(reused).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
});

it('lets an admin change any tenant’s user, and records it without personal data', async () => {
  const { id } = await create({ meta: { firstName: 'Ada' } });
  expect((await admin.call('GET', `/v1/users/${id}`)).status).toBe(200);
  await admin.call('PATCH', `/v1/users/${id}`, { meta: { firstName: 'Augusta' } });
  await admin.call('PATCH', `/v1/users/${id}/status`, { status: 'blocked', reason: 'asked by letter' });
  await client.call('PATCH', `/v1/users/${id}/status`, { status: 'active' });
  const lines = await api.database.query<Record<string, unknown>>(
    'select actor, action, tenant_id, request_id, before, after from audit_log where subject = $1 order by id',
    [id],
  );
  expect(lines).toEqual([
    {
      actor: admin.clientId,
      action: 'getUser',
      tenant_id: null,
      request_id: expect.any(String),
      before: null,
      after: { fields: ['externalId', 'statusReason', 'meta'] },
    },
    {
      actor: admin.clientId,
      action: 'users.update',
      tenant_id: client.clientId,
      request_id: expect.any(String),
      before: null,
      after: { fields: ['firstName'] },
    },
    {
      actor: admin.clientId,
      action: 'users.status',
      tenant_id: client.clientId,
      request_id: expect.any(String),
      before: { status: 'active', reason: null },
      after: { status: 'blocked', reason: expect.stringContaining('asked by') },
    },
  ]);
});
