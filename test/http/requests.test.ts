import { gzipSync } from 'node:zlib';
import { json, type Kit, testKit } from './kit';

let kit: Kit;
let client: Record<string, string>;
let admin: Record<string, string>;
beforeAll(async () => {
  kit = await testKit();
  client = await kit.client();
  admin = await kit.client('admin');
});
afterAll(() => kit.close());

const post = (body: unknown, headers: Record<string, string> = {}, path = '/things') =>
  kit.call(path, json(body, { ...client, ...headers }));

describe('the order of the checks', () => {
  it('is 401 first, for any path of the API', async () => {
    for (const path of ['/things', '/v1', '/v1/nothing', '/v2/', '/sandbox/nothing']) {
      const { status, body } = await kit.call(path);
      expect([path, status, body.code]).toEqual([path, 401, 'unauthorized']);
    }
    expect((await kit.call('/v1/nothing', { headers: client })).status).toBe(404);
  });

  it('is 404 for an unknown path elsewhere, without or with a wrong credential', async () => {
    for (const path of ['/', '/nothing', '/robots.txt', '/v10/things', '/V1/things', '//v1/things'])
      for (const headers of [{}, { ...client, 'x-client-secret': 'wrong' }]) {
        const { status, body } = await kit.call(path, { headers });
        expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
      }
  });

  it('is 204 with Allow for OPTIONS of a known path, without a credential', async () => {
    const known = await kit.call('/things', { method: 'OPTIONS' });
    expect([known.status, known.headers['allow'], known.text]).toEqual([204, 'GET, POST', '']);
    expect((await kit.call('/things/1', { method: 'OPTIONS' })).headers['allow']).toBe('GET, DELETE');
    expect((await kit.call('/nothing', { method: 'OPTIONS' })).status).toBe(404);
    expect((await kit.call('/v1/nothing', { method: 'OPTIONS' })).status).toBe(401);
  });

  it('is 404 for an unknown path, and 405 with Allow for another method, before the body is read', async () => {
    expect(await kit.call('/nothing', json('{', client))).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    const wrong = await kit.call('/things', json('{', client, 'PATCH'));
    expect(wrong).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(wrong.headers['allow']).toBe('GET, POST');
    expect((await kit.call('/things/1', json('{}', client, 'PUT'))).headers['allow']).toBe('GET, DELETE');
    expect((await kit.call('/required', { method: 'HEAD', headers: client })).status).toBe(405);
    expect((await kit.call('/things/', { headers: client })).status).toBe(404);
    expect((await kit.call('/Things', { headers: client })).status).toBe(404);
  });

  it('is 403 before the body is read', async () => {
    expect(await post('{', {}, '/admin/things')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await kit.call('/admin/things', json('{', admin))).status).toBe(400);
    expect((await kit.call('/admin/things', json({ amount: '1' }, admin))).status).toBe(202);
  });

  it('is body, then required key, then schema', async () => {
    expect((await post('{', {}, '/required')).body).toMatchObject({ code: 'invalid_request' });
    expect((await post({ amount: 5 }, {}, '/required')).body).toMatchObject({
      code: 'idempotency_key_required',
      field: 'x-idempotency-key',
    });
    expect((await post({ amount: 5 }, { 'x-idempotency-key': 'k' }, '/required')).body).toMatchObject({
      code: 'invalid_request',
      field: 'amount',
    });
  });
});

describe('a body', () => {
  it.each([
    ['malformed JSON', '{"amount": "1.00"'],
    ['an array', '["1.00"]'],
    ['a string', '"1.00"'],
    ['null', 'null'],
    ['a number too large to be JSON', '1e'],
    ['text after it', '{} {}'],
  ])('that is %s is a 400', async (_, text) => {
    expect(await post(text)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('of invalid UTF-8 is a 400', async () => {
    const body = Buffer.concat([Buffer.from('{"note": "'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    const headers = { ...client, 'content-type': 'application/json', 'content-length': String(body.length) };
    expect(await kit.call('/things', { method: 'POST', body, headers })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', message: expect.stringContaining('UTF-8') },
    });
  });

  it('of another content type or encoding is a 415', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonx',
      '',
    ])
      expect([type, (await post({ amount: '1' }, { 'content-type': type })).status]).toEqual([type, 415]);
    for (const type of [
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/merge-patch+json',
    ])
      expect([type, (await post({ amount: '1' }, { 'content-type': type })).status]).toEqual([type, 201]);
    const body = gzipSync(JSON.stringify({ amount: '1' }));
    const headers = { ...client, 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const zipped = await kit.call('/things', {
      method: 'POST',
      body,
      headers: { ...headers, 'content-length': String(body.length) },
    });
    expect(zipped).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  it('that is too large is a 413, with or without a declared length, before its type is checked', async () => {
    const before = await kit.count();
    const large = JSON.stringify({ amount: '1.00', note: 'x'.repeat(1024 * 1024) });
    expect(await post(large)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect((await post(large, { 'content-type': 'text/plain' })).status).toBe(413);
    const chunks = Array.from({ length: 40 }, () => Buffer.alloc(32 * 1024, ' '));
    const chunked = await kit.call('/things', {
      method: 'POST',
      body: chunks,
      headers: { ...client, 'content-type': 'application/json' },
    });
    expect(chunked).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect(await kit.count()).toBe(before);
  });

  it('of exactly 1 MiB is read, chunked as well', async () => {
    const text = JSON.stringify({ amount: '1.00' });
    const padded = text + ' '.repeat(1024 * 1024 - text.length);
    expect((await post(padded)).status).toBe(201);
    const headers = { ...client, 'content-type': 'application/json' };
    expect((await kit.call('/things', { method: 'POST', body: [Buffer.from(text)], headers })).status).toBe(
      201,
    );
  });

  it('with an unknown field is a 400 that names it', async () => {
    expect((await post({ amount: '1', colour: 'red' })).body).toMatchObject({
      code: 'invalid_request',
      field: 'colour',
    });
    for (const name of ['__proto__', 'constructor', 'toString', 'prototype']) {
      const answer = await post(`{"amount": "1", "${name}": {"polluted": true}}`);
      expect([name, answer.status, answer.body?.field]).toEqual([name, 400, name]);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const removal = await kit.call('/things/1', json({ reason: 'x' }, client, 'DELETE'));
    expect(removal).toMatchObject({ status: 400, body: { field: 'reason' } });
  });

  it.each([
    [{}, 'amount is required.'],
    [{ amount: 5 }, 'amount must be a decimal string such as "10.00".'],
    [{ amount: null }, 'amount must be a decimal string such as "10.00".'],
    [{ amount: '0' }, 'amount must be greater than zero.'],
    [{ amount: '-1' }, expect.stringMatching(/^amount must be a positive decimal string/)],
    [{ amount: '1e5' }, expect.stringMatching(/^amount must be/)],
    [{ amount: ' 1' }, expect.stringMatching(/^amount must be/)],
    [{ amount: '1'.repeat(16) }, expect.stringMatching(/^amount must be/)],
    [{ amount: '1', note: 7 }, 'note must be a string.'],
    [{ amount: '1', note: 'longer' }, 'note must be at most 5 characters.'],
    [{ amount: '1', note: null }, 'note must be a string.'],
  ])('%j is refused with a message that names the field', async (body, message) => {
    const before = await kit.count();
    const answer = await post(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', message } });
    expect(String(answer.body.message).startsWith(answer.body.field)).toBe(true);
    expect(await kit.count()).toBe(before);
  });

  it('that is empty is {}', async () => {
    const empty = await kit.call('/things', {
      method: 'POST',
      headers: { ...client, 'content-length': '0' },
    });
    expect(empty.body).toMatchObject({ message: 'amount is required.' });
  });
});

describe('an answer', () => {
  it('carries the caller’s request id if it is well-formed, else a new one', async () => {
    const own = await kit.call('/things', { headers: { ...client, 'x-request-id': 'order-7:retry.2' } });
    expect(own.headers['x-request-id']).toBe('order-7:retry.2');
    for (const bad of ['has space', 'x'.repeat(129), 'ü'.normalize(), '"quoted"']) {
      const answer = await kit.call('/nothing', {
        headers: { ...client, 'x-request-id': Buffer.from(bad).toString('latin1') },
      });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.body.requestId).toBe(answer.headers['x-request-id']);
    }
  });

  it('carries the security headers, successful or not', async () => {
    for (const answer of [await kit.call('/things', { headers: client }), await kit.call('/nothing')])
      expect(answer.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'strict-transport-security': expect.any(String),
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
      });
  });

  it('to HEAD equals that to GET without its body', async () => {
    const head = await kit.call('/things', { method: 'HEAD', headers: client });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(10);
  });

  it('has only the fields of an error', async () => {
    expect(Object.keys((await kit.call('/nothing')).body)).toEqual(['code', 'message', 'requestId']);
    expect(Object.keys((await post({ amount: 5 })).body)).toEqual([
      'code',
      'message',
      'field',
      'errors',
      'requestId',
    ]);
  });

  it('to an internal error is a 500 without details', async () => {
    const before = await kit.count();
    const answer = await post({ amount: '1001' });
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(answer.text).not.toContain('too much');
    expect(await kit.count()).toBe(before);
  });

  it('to an unusual path is never a 500', async () => {
    const odd = [
      '/things/%',
      '/things/%E0%A4%A',
      '/things/%00',
      '/things/..%2f..',
      `/things/${'x'.repeat(600)}`,
    ];
    for (const path of [
      ...odd,
      '/things?limit=%',
      '/things?cursor=%00',
      '//',
      '/things/%2e',
      '/things;a=b',
    ]) {
      const { status } = await kit.call(path, { headers: client });
      expect([path, status === 404 || status === 400]).toEqual([path, true]);
    }
  });
});

describe('a list', () => {
  it('is paged without gaps', async () => {
    for (let each = 0; each < 5; each += 1) await post({ amount: '1' });
    const all = await kit.call('/things?limit=100', { headers: client });
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await kit.call(`/things?limit=2${cursor}`, { headers: client });
      seen.push(...page.body.data.map((row: { id: string }) => row.id));
      expect(page.body.hasMore).toBe(page.body.nextCursor !== null);
      cursor = page.body.nextCursor === null ? '' : `&cursor=${page.body.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(all.body.data.map((row: { id: string }) => row.id));
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['cursor=', 'cursor'],
    [`cursor=${Buffer.from('["a","b"]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('[5]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('{}').toString('base64url')}`, 'cursor'],
    ['cursor=a&cursor=b', 'cursor'],
  ])('refuses ?%s', async (query, field) => {
    expect(await kit.call(`/things?${query}`, { headers: client })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', field },
    });
  });

  it('ignores unknown query parameters', async () => {
    expect((await kit.call('/things?colour=red&__proto__=1', { headers: client })).status).toBe(200);
  });
});
