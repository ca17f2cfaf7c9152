/** @long */
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import type { Client } from '../../support/api';
import { createUser, type FormParts, form, jpeg, pdf, png, upload } from '../../support/uploads';
import { type KycApi, kycApi } from './support';

let api: KycApi;
let client: Client;
let userId: string;
let path: string;
beforeAll(async () => {
  api = await kycApi();
  client = await api.client();
  userId = await createUser(client);
  path = `/v1/users/${userId}/kyc/documents`;
});
afterAll(() => api.close());

const MIB = 1024 * 1024;
const send = (parts: FormParts, headers?: Record<string, string>) => upload(client, path, parts, headers);
const front = (bytes: Buffer, more = {}): FormParts => [
  ['slot', 'idFrontImg'],
  ['file', { bytes, ...more }],
];
const failure = ({ status, body }: { status: number; body: any }) => [status, body.code, body.field];

it.each([
  ['image/jpeg', jpeg('a'), { name: 'x.jpg' }],
  ['image/png', png('a'), { name: 'a-picture.pdf', type: 'application/pdf' }],
  ['application/pdf', pdf('a'), { name: '../../etc/passwd', type: 'text/html' }],
  ['image/jpeg', jpeg('<script>alert(1)</script>'), { name: 'page.html', type: 'text/html' }],
])('recognises %s by its bytes, whatever its name', async (contentType, bytes, names) => {
  const { status, body } = await send(front(bytes, names));
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^doc_[0-9a-z]{26}$/),
    userId,
    slot: 'idFrontImg',
    contentType,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    status: 'uploaded',
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
});

it('accepts the file before the slot, and a file without a name', async () => {
  const bytes = jpeg('order');
  expect(
    (
      await send([
        ['file', { bytes }],
        ['slot', 'idBackImg'],
      ])
    ).status,
  ).toBe(201);
  expect((await send(front(bytes, { name: '' }))).status).toBe(201);
});

it.each([
  ['a GIF', Buffer.from('GIF89a......')],
  ['a GIF that is a PDF behind', Buffer.concat([Buffer.from('GIF89a'), pdf()])],
  ['a page called photo.jpg', Buffer.from('<html></html>')],
  ['a PNG that breaks off in its header', png().subarray(0, 10)],
  ['one byte', Buffer.from([0xff])],
])('refuses %s: 415', async (_name, bytes) => {
  expect(failure(await send(front(bytes, { type: 'image/jpeg' })))).toEqual([
    415,
    'unsupported_media_type',
    'file',
  ]);
});

describe('sizes', () => {
  it('accepts and returns 10 MiB, and refuses one byte more with 413', async () => {
    const most = Buffer.concat([jpeg(), Buffer.alloc(10 * MIB - jpeg().length, 7)]);
    const taken = await send(front(most));
    expect([taken.status, taken.body.size]).toEqual([201, 10 * MIB]);
    const more = Buffer.concat([most, Buffer.from([7])]);
    expect(failure(await send(front(more)))).toEqual([413, 'payload_too_large', undefined]);
  });

  it('refuses a larger declared length before it reads the body', async () => {
    const answer = await raw({
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': String(10 * MIB + 64 * 1024 + 1),
    });
    expect(answer).toBe(413);
  });

  it('refuses a large body without a declared length, and reads on until the answer can be read', async () => {
    const { body, headers } = form(front(Buffer.concat([jpeg(), Buffer.alloc(11 * MIB)])));
    expect(await raw({ ...headers, 'transfer-encoding': 'chunked' }, Buffer.from(body))).toBe(413);
    expect((await send(front(jpeg('after')))).status).toBe(201);
  });

  it('refuses text fields of more than 64 KiB', async () => {
    const long = 'x'.repeat(64 * 1024 + 1);
    expect(
      failure(
        await send([
          ['slot', long],
          ['file', { bytes: jpeg() }],
        ]),
      ),
    ).toEqual([413, 'payload_too_large', undefined]);
  });
});

describe('400', () => {
  const file: FormParts[number] = ['file', { bytes: jpeg() }];
  it.each<[string, FormParts, string | undefined]>([
    ['no file', [['slot', 'idFrontImg']], 'file'],
    ['no slot', [file], 'slot'],
    ['a slot that is none', [['slot', 'selfie'], file], 'slot'],
    ['a slot in another case', [['slot', 'IDFRONTIMG'], file], 'slot'],
    [
      'an empty file',
      [
        ['slot', 'idFrontImg'],
        ['file', { bytes: Buffer.alloc(0) }],
      ],
      'file',
    ],
    [
      'a file that is text',
      [
        ['slot', 'idFrontImg'],
        ['file', 'x'],
      ],
      'file',
    ],
    ['a slot that is a file', [['slot', { bytes: jpeg() }], file], 'slot'],
    ['two files', [['slot', 'idFrontImg'], file, file], 'file'],
    ['two slots', [['slot', 'idFrontImg'], ['slot', 'idBackImg'], file], 'slot'],
    ['another field', [['slot', 'idFrontImg'], file, ['note', 'x']], 'note'],
    ['another file', [['slot', 'idFrontImg'], file, ['back', { bytes: jpeg() }]], 'back'],
    ['a prototype', [['slot', 'idFrontImg'], file, ['__proto__', 'x']], '__proto__'],
    ['21 parts', Array.from({ length: 21 }, (_, index) => [`f${index}`, 'x'] as const), undefined],
    ['nothing', [], 'slot'],
  ])('%s', async (_name, parts, field) => {
    expect(failure(await send(parts))).toEqual([400, 'invalid_request', field]);
  });

  it('without a body', async () => {
    expect(failure(await client.call('POST', path))).toEqual([400, 'invalid_request', 'slot']);
  });

  it('a form that breaks off, in the file or before it, and a body that is not a form', async () => {
    const { body, headers } = form(front(jpeg('a longer one')));
    for (const bytes of [body.slice(0, -8), body.slice(0, -60), body.slice(0, 60), Buffer.from('nonsense')])
      expect(failure(await client.call('POST', path, bytes, headers))).toEqual([
        400,
        'invalid_request',
        undefined,
      ]);
  });

  it('a form without a boundary', async () => {
    const headers = { 'content-type': 'multipart/form-data; charset=utf-8' };
    expect((await client.call('POST', path, form(front(jpeg())).body, headers)).status).toBe(400);
  });
});

it.each([
  'application/json',
  'image/jpeg',
  'application/x-www-form-urlencoded',
  'multipart/mixed; boundary=x',
])('refuses %s: 415', async (type) => {
  const answer = await client.call('POST', path, jpeg(), { 'content-type': type });
  expect(failure(answer)).toEqual([415, 'unsupported_media_type', undefined]);
});

it('checks in order: credential, path, body, key, fields, id', async () => {
  const bad = form([['file', { bytes: Buffer.from('GIF89a') }]]);
  const good = form(front(jpeg()));
  const missing = `/v1/users/${userId.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}/kyc/documents`;
  const key = { 'x-idempotency-key': '' };
  expect((await api.call('POST', path, bad.body, bad.headers)).status).toBe(401);
  expect((await client.call('PUT', path, bad.body, bad.headers)).status).toBe(405);
  expect((await client.call('POST', missing, bad.body, { ...bad.headers, ...key })).status).toBe(415);
  expect(
    (await client.call('POST', missing, good.body, { ...good.headers, 'x-idempotency-key': 'é' })).body.field,
  ).toBe('x-idempotency-key');
  const noSlot = form([['file', { bytes: jpeg() }]]);
  expect((await client.call('POST', missing, noSlot.body, noSlot.headers)).status).toBe(400);
  expect((await client.call('POST', missing, good.body, good.headers)).status).toBe(404);
  expect(
    (await client.call('POST', '/v1/users/nonsense/kyc/documents', good.body, good.headers)).status,
  ).toBe(404);
});

describe('idempotency', () => {
  it('repeats the answer for the same file, however the form is written, and refuses another file', async () => {
    const headers = { 'x-idempotency-key': 'upload-1' };
    const first = await send(front(jpeg('same'), { name: 'one.jpg' }), headers);
    const again = await send(front(jpeg('same'), { name: 'two.png', type: 'image/png' }), headers);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('x-idempotent-replayed')).toBe('true');
    const other = await send(front(jpeg('different')), headers);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
    const slot = await send(
      [
        ['slot', 'idBackImg'],
        ['file', { bytes: jpeg('same') }],
      ],
      headers,
    );
    expect(slot.status).toBe(422);
  });

  it('has one effect when twenty requests arrive together', async () => {
    const before = (await client.call('GET', `${path}?limit=100`)).body.data.length;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(front(jpeg('at once')), { 'x-idempotency-key': 'upload-2' })),
    );
    const bodies = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text));
    expect(bodies.size).toBe(1);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect((await client.call('GET', `${path}?limit=100`)).body.data).toHaveLength(before + 1);
  });
});

/** Sends headers and optionally a body. @returns the status */
function raw(headers: Record<string, string>, body?: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const credential = { 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret };
    const outgoing = request(`${api.url}${path}`, { method: 'POST', headers: { ...credential, ...headers } });
    outgoing.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      if (body) response.on('end', () => undefined);
      else outgoing.destroy();
    });
    outgoing.on('error', reject);
    if (body) outgoing.end(body);
    else outgoing.flushHeaders();
  });
}
