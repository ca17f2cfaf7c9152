import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DocumentsAway } from '../../../src/parties/documents/port';
import { removeDueContent, storeContent } from '../../../src/people/kyc/documents/content';
import type { Client } from '../../support/api';
import { until } from '../../support/until';
import { createUser, form, jpeg, receivedJpeg, uploadAll, uploadDocument } from '../../support/uploads';
import { type KycApi, kycApi } from './support';

let api: KycApi;
let client: Client;
let clock: Date;
beforeAll(async () => {
  clock = new Date('2026-01-01T00:00:00.000Z');
  api = await kycApi({ now: () => clock });
  client = await api.client();
});
afterAll(() => api.close());

const HOUR_MS = 60 * 60_000;
const removals = async () =>
  (await api.database.query<{ document_id: string }>('select document_id from document_removals')).map(
    ({ document_id }) => document_id,
  );
const content = (userId: string, id: string) =>
  client.call('GET', `/v1/users/${userId}/kyc/documents/${id}/content`);
const mine = async () => (await api.stored()).filter((name) => name.startsWith(client.clientId));

/** Makes the store fail while `work` runs. */
async function whileAway<T>(work: () => Promise<T>): Promise<T> {
  const { documents } = api.services.parties;
  const away = () => Promise.reject(new DocumentsAway('test'));
  api.services.parties.documents = { put: away, get: away, delete: away };
  try {
    return await work();
  } finally {
    api.services.parties.documents = documents;
  }
}

it('stores nothing readable in the folder, and no document can take the place of another', async () => {
  const userId = await createUser(client);
  const secret = 'Ada Byron, passport X1234567';
  const one = (await uploadDocument(client, userId, 'idFrontImg', jpeg(secret))).body.id as string;
  const two = (await uploadDocument(client, userId, 'idBackImg', jpeg('another'))).body.id as string;
  const [first, second] = [`${client.clientId}/${one}`, `${client.clientId}/${two}`];
  const bytes = await api.bytesOf(first);
  for (const word of ['Ada', 'Byron', 'X1234567', 'JFIF']) expect(bytes.includes(word)).toBe(false);
  const other = await api.bytesOf(second);
  await writeFile(join(api.folder, first), other);
  await writeFile(join(api.folder, second), bytes);
  for (const id of [one, two]) {
    const { status, text } = await content(userId, id);
    expect([status, text.includes('Ada')]).toEqual([500, false]);
  }
  await writeFile(join(api.folder, first), bytes);
  expect((await content(userId, one)).status).toBe(200);
});

it('leaves nothing to remove after a successful upload', async () => {
  const userId = await createUser(client);
  const ids = await uploadAll(client, userId);
  expect((await removals()).filter((id) => ids.includes(id))).toEqual([]);
});

it('answers 503 while the store is unreachable, and records nothing', async () => {
  const userId = await createUser(client);
  const { status, body, headers } = await whileAway(() => uploadDocument(client, userId, 'idFrontImg'));
  expect([status, body.code]).toEqual([503, 'unavailable']);
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
  expect((await client.call('GET', `/v1/users/${userId}/kyc`)).body).toMatchObject({
    status: 'not_started',
    documents: [],
  });
  const { id } = (await uploadDocument(client, userId, 'idFrontImg')).body;
  expect((await whileAway(() => content(userId, id))).status).toBe(503);
  expect((await content(userId, id)).status).toBe(200);
});

it('removes content without a record after an hour, and no other content', async () => {
  const userId = await createUser(client);
  const path = `/v1/users/${userId}/kyc/documents`;
  const headers = { 'x-idempotency-key': 'twice' };
  const before = await mine();
  // The repeat stores no file of its own.
  for (const name of ['first', 'again']) {
    const sent = form([
      ['slot', 'idFrontImg'],
      ['file', { bytes: jpeg('twice'), name }],
    ]);
    expect((await client.call('POST', path, sent.body, { ...sent.headers, ...headers })).status).toBe(201);
  }
  expect(await mine()).toHaveLength(before.length + 1);
  // Of a request that broke off after its file was stored.
  const key = { tenantId: client.clientId, documentId: 'doc_broken_off' };
  await storeContent(api.services, key, receivedJpeg());
  expect(await mine()).toHaveLength(before.length + 2);
  clock = new Date(clock.getTime() + HOUR_MS - 1);
  expect(await removeDueContent(api.services, 50)).toEqual({ more: false });
  expect(await mine()).toHaveLength(before.length + 2);
  clock = new Date(clock.getTime() + 2);
  expect(await removeDueContent(api.services, 50)).toEqual({ more: false });
  expect(await mine()).toHaveLength(before.length + 1);
  expect(await removals()).toEqual([]);
  const [{ id }] = (await client.call('GET', path)).body.data;
  expect((await content(userId, id)).status).toBe(200);
});

it('removes a deleted document at once', async () => {
  const userId = await createUser(client);
  const [id = ''] = await uploadAll(client, userId, ['idFrontImg']);
  expect(await mine()).toContain(`${client.clientId}/${id}`);
  await client.call('DELETE', `/v1/users/${userId}/kyc/documents/${id}`);
  await until(async () => !(await mine()).includes(`${client.clientId}/${id}`));
  await until(async () => !(await removals()).includes(id));
});

it('removes it later when the store is unreachable', async () => {
  const userId = await createUser(client);
  const [id = ''] = await uploadAll(client, userId, ['idFrontImg']);
  await whileAway(async () => {
    const { status } = await client.call('DELETE', `/v1/users/${userId}/kyc/documents/${id}`);
    expect(status).toBe(204);
    await expect(removeDueContent(api.services, 50)).rejects.toThrow(DocumentsAway);
  });
  expect(await removals()).toEqual([id]);
  expect(await removeDueContent(api.services, 50)).toEqual({ more: false }); // claimed by the other run
  expect(await mine()).toContain(`${client.clientId}/${id}`);
  clock = new Date(clock.getTime() + 10 * 60_000);
  await removeDueContent(api.services, 50);
  expect(await mine()).not.toContain(`${client.clientId}/${id}`);
  expect(await removals()).toEqual([]);
});

it('removes in portions, and tells whether there are more', async () => {
  for (let index = 0; index < 3; index += 1) {
    const key = { tenantId: client.clientId, documentId: `doc_portion${index}` };
    await storeContent(api.services, key, receivedJpeg());
  }
  clock = new Date(clock.getTime() + HOUR_MS);
  expect(await removeDueContent(api.services, 2)).toEqual({ more: true });
  expect(await removeDueContent(api.services, 2)).toEqual({ more: false });
  expect(await removals()).toEqual([]);
});

it('records no document whose content is being removed', async () => {
  const userId = await createUser(client);
  const { documents } = api.services.parties;
  api.services.parties.documents = {
    ...documents,
    // The upload takes more than an hour from here to its transaction.
    async put(key, sealed) {
      await documents.put(key, sealed);
      clock = new Date(clock.getTime() + HOUR_MS);
      await whileAway(() => removeDueContent(api.services, 50).catch(() => undefined));
    },
  };
  const answer = await uploadDocument(client, userId, 'idFrontImg');
  api.services.parties.documents = documents;
  expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
  expect((await client.call('GET', `/v1/users/${userId}/kyc`)).body.documents).toEqual([]);
});
