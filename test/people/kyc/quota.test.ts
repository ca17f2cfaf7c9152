import type { Answer, Client } from '../../support/api';
import { createUser, jpeg, upload, uploadDocument } from '../../support/uploads';
import { type KycApi, kycApi } from './support';

let api: KycApi;
let client: Client;
beforeAll(async () => {
  api = await kycApi();
});
beforeEach(async () => {
  client = await api.client();
});
afterAll(() => api.close());

const MIB = 1024 * 1024;

const allow = (documents: Record<string, number>) =>
  api.database.query('update tenants set settings = settings || $2 where id = $1', [
    client.clientId,
    JSON.stringify({ documents }),
  ]);
const file = (bytes = jpeg()) => upload(client, '/v1/cardholders/files', [['file', { bytes }]]);
const large = Buffer.concat([jpeg(), Buffer.alloc(MIB - 100)]);
const refusal = ({ status, body }: Answer) => [status, body.code, body.field, body.message];

it('bounds the documents of a user, and counts a deleted one no more', async () => {
  await allow({ perUser: 2 });
  const userId = await createUser(client);
  const [first] = [
    await uploadDocument(client, userId, 'idFrontImg'),
    await uploadDocument(client, userId, 'idBackImg'),
  ];
  expect(refusal(await uploadDocument(client, userId, 'idHoldImg'))).toEqual([
    409,
    'limit_exceeded',
    'file',
    'The user may store 2 files (documents.perUser).',
  ]);
  const other = await createUser(client);
  expect((await uploadDocument(client, other, 'idFrontImg')).status).toBe(201);
  await client.call('DELETE', `/v1/users/${userId}/kyc/documents/${first?.body.id}`);
  expect((await uploadDocument(client, userId, 'idHoldImg')).status).toBe(201);
});

it('bounds the size of the documents of a user', async () => {
  await allow({ perUserMib: 2 });
  const userId = await createUser(client);
  for (const slot of ['idFrontImg', 'idBackImg'])
    expect((await uploadDocument(client, userId, slot, large)).status).toBe(201);
  expect(refusal(await uploadDocument(client, userId, 'idHoldImg', large))[3]).toBe(
    'The user may store 2 MiB of files (documents.perUserMib).',
  );
  expect((await uploadDocument(client, userId, 'idHoldImg')).status).toBe(201);
});

it('bounds the documents and the files of cardholders of a company together', async () => {
  await allow({ total: 2 });
  const userId = await createUser(client);
  expect([(await file()).status, (await uploadDocument(client, userId, 'idFrontImg')).status]).toEqual([
    201, 201,
  ]);
  const told = [409, 'limit_exceeded', 'file', 'The company may store 2 files (documents.total).'];
  expect(refusal(await file())).toEqual(told);
  expect(refusal(await uploadDocument(client, userId, 'idBackImg'))).toEqual(told);
  const foreign = await api.client();
  expect((await uploadDocument(foreign, await createUser(foreign), 'idFrontImg')).status).toBe(201);
});

it('bounds the size of all files of a company', async () => {
  await allow({ totalMib: 1 });
  expect((await file(large)).status).toBe(201);
  expect(refusal(await file(large))[3]).toBe('The company may store 1 MiB of files (documents.totalMib).');
});

it('lets no uploads together pass a quota', async () => {
  await allow({ total: 5 });
  const users = await Promise.all(Array.from({ length: 10 }, () => createUser(client)));
  const answers = await Promise.all(users.map((user) => uploadDocument(client, user, 'idFrontImg')));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([201, 201, 201, 201, 201, 409, 409, 409, 409, 409]);
  const [row] = await api.database.query('select count, bytes::int from stored_files where tenant_id = $1', [
    client.clientId,
  ]);
  expect(row).toEqual({ count: 5, bytes: 5 * jpeg('idFrontImg').length });
});
