import { type Client, type TestApi, testApi } from '../../../support/api';
import { cardholder } from '../../../support/cards';
import { form, jpeg, pdf, png, upload } from '../../../support/uploads';

let api: TestApi;
let client: Client;
let userId: string;
let photos: string;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
  const made = await cardholder(client);
  userId = made.userId;
  photos = `/v1/cardholders/${made.cardholderId}/photos`;
});
afterAll(() => api.close());

const FILES = '/v1/cardholders/files';
const failure = ({ status, body }: { status: number; body: any }) => [status, body.code, body.field];
const uploadFile = async (by: Client, bytes = png('file')) =>
  (await upload(by, FILES, [['file', { bytes }]])).body.fileId as string;

it('stores a file and returns its id, and nothing else', async () => {
  const { status, body } = await upload(client, FILES, [['file', { bytes: pdf() }]]);
  expect([status, body]).toEqual([201, { fileId: expect.stringMatching(/^file_[0-9a-z]{26}$/) }]);
});

it.each<[string, Parameters<typeof form>[0], number, string | undefined]>([
  ['no file', [], 400, 'file'],
  [
    'a slot',
    [
      ['slot', 'idFrontImg'],
      ['file', { bytes: jpeg() }],
    ],
    400,
    'slot',
  ],
  ['another type', [['file', { bytes: Buffer.from('GIF89a') }]], 415, 'file'],
  [
    'too much',
    [['file', { bytes: Buffer.concat([jpeg(), Buffer.alloc(10 * 1024 * 1024)]) }]],
    413,
    undefined,
  ],
])('refuses %s', async (_name, parts, status, field) => {
  const answer = await upload(client, FILES, parts);
  expect([answer.status, answer.body.field]).toEqual([status, field]);
});

it('adds a photo as the newest KYC document of its user: from a file', async () => {
  const { status, body } = await upload(client, photos, [
    ['slot', 'idHoldImg'],
    ['file', { bytes: jpeg('photo') }],
  ]);
  expect(status).toBe(201);
  expect(body).toMatchObject({ userId, slot: 'idHoldImg', contentType: 'image/jpeg', status: 'uploaded' });
  const kyc = (await client.call('GET', `/v1/users/${userId}/kyc`)).body;
  expect([kyc.status, kyc.documents[0].id]).toEqual(['documents_uploaded', body.id]);
});

it.each(['multipart', 'JSON'])('adds a photo from a fileId in %s, as often as it is named', async (kind) => {
  const fileId = await uploadFile(client, png(`by ${kind}`));
  const ids = new Set<string>();
  for (const slot of ['idFrontImg', 'idBackImg']) {
    const { status, body } =
      kind === 'JSON'
        ? await client.call('POST', photos, { slot, fileId })
        : await upload(client, photos, [
            ['slot', slot],
            ['fileId', fileId],
          ]);
    expect([status, body.contentType, body.slot]).toEqual([201, 'image/png', slot]);
    const content = await client.call('GET', `/v1/users/${userId}/kyc/documents/${body.id}/content`);
    expect(content.text).toContain(`by ${kind}`);
    ids.add(body.id);
  }
  expect(ids.size).toBe(2);
});

it('requires either a file or a fileId, and a slot', async () => {
  const fileId = await uploadFile(client);
  const file = ['file', { bytes: jpeg() }] as [string, { bytes: Buffer }];
  const both = await upload(client, photos, [['slot', 'idFrontImg'], ['fileId', fileId], file]);
  expect(failure(both)).toEqual([400, 'invalid_request', 'file']);
  expect(failure(await client.call('POST', photos, { slot: 'idFrontImg' }))).toEqual([
    400,
    'invalid_request',
    'file',
  ]);
  expect(failure(await upload(client, photos, [file]))).toEqual([400, 'invalid_request', 'slot']);
  expect(failure(await client.call('POST', photos, { fileId }))).toEqual([400, 'invalid_request', 'slot']);
  const image = await client.call('POST', photos, jpeg(), { 'content-type': 'image/jpeg' });
  expect(image.status).toBe(415);
});

it('answers 404 for a file or cardholder of another tenant', async () => {
  const stranger = await api.client();
  const theirs = await uploadFile(stranger);
  const named = (by: Client, fileId: string, path = photos) =>
    by.call('POST', path, { slot: 'idFrontImg', fileId });
  for (const id of [theirs, 'file_01h455vb4pex5vsknk084sn02q', 'nonsense', userId])
    expect(failure(await named(client, id))).toEqual([404, 'not_found', 'fileId']);
  expect(failure(await named(stranger, theirs))).toEqual([404, 'not_found', undefined]);
  const missing = '/v1/cardholders/chd_01h455vb4pex5vsknk084sn02q/photos';
  expect(failure(await named(client, theirs, missing))).toEqual([404, 'not_found', undefined]);
  expect((await api.call('POST', photos, { slot: 'idFrontImg' })).status).toBe(401);
});

it('lets an operator act for a client, and records it in the audit log', async () => {
  const admin = await api.client('admin');
  const fileId = await uploadFile(admin);
  const { status, body } = await admin.call('POST', photos, { slot: 'idFrontImg', fileId });
  expect(status).toBe(201);
  expect((await client.call('GET', `/v1/users/${userId}/kyc/documents/${body.id}/content`)).status).toBe(200);
  const rows = await api.database.query(
    `select action, tenant_id from audit_log where actor = $1 and action like 'cardholders.%' order by id`,
    [admin.clientId],
  );
  expect(rows).toEqual([
    { action: 'cardholders.upload-file', tenant_id: admin.clientId },
    { action: 'cardholders.photo', tenant_id: client.clientId },
  ]);
});

it('answers 409 without a linked user, and stores the answer under the key', async () => {
  const made = await cardholder(client);
  await api.database.query('update cardholders set user_id = null where id = $1', [made.cardholderId]);
  const path = `/v1/cardholders/${made.cardholderId}/photos`;
  const body = { slot: 'idFrontImg', fileId: await uploadFile(client) };
  const key = { 'x-idempotency-key': 'no user' };
  const first = await client.call('POST', path, body, key);
  expect(failure(first)).toEqual([409, 'no_linked_user', undefined]);
  expect((await client.call('POST', path, body, key)).text).toBe(first.text);
});

it('repeats its answer under the same key', async () => {
  const key = { 'x-idempotency-key': 'file' };
  const send = (bytes: Buffer) => upload(client, FILES, [['file', { bytes }]], key);
  const first = await send(jpeg('one'));
  expect((await send(jpeg('one'))).text).toBe(first.text);
  expect((await send(jpeg('two'))).status).toBe(422);
});
