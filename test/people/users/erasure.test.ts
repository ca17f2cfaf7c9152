import { buffer } from 'node:stream/consumers';
import { documentContent, requireDocument } from '../../../src/people/kyc/documents/documents';
import { dumpOf } from '../../chaos/secrets/written';
import { type Client, type TestApi, testApi } from '../../support/api';
import { testKeyring } from '../../support/keyring';
import { pending, STREET } from '../cardholders/support';
import { age as ageIn, erase as eraseIn } from './erase';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
afterAll(() => api.close());

const NAMED = { firstName: 'Zephyrine', lastName: 'Quillfeather' };
const TOLD = [...Object.values(NAMED), STREET, 'quern.example', 'zephyrine'];
const erase = (id: string) => eraseIn(api, id);
const block = (id: string) =>
  client.call('PATCH', `/v1/users/${id}/status`, { status: 'blocked', reason: 'Ended' });
const age = (id: string, years: number) => ageIn(api, id, years);
const toldIn = (text: string) => TOLD.filter((word) => text.toLowerCase().includes(word.toLowerCase()));

it('stores no name, address or e-mail of a person that a dump of the database would tell', async () => {
  const email = `Zephyrine.${Date.now()}@quern.example`;
  const { userId } = await pending(api, client, { ...NAMED, email });
  const read = await client.call('GET', `/v1/users/${userId}`);
  expect(toldIn(read.text)).toEqual(TOLD);
  const dump = await dumpOf(api.database);
  expect(dump).toContain(userId);
  // The record of the cardholder shows the masked e-mail, with its host.
  expect(toldIn(dump.replaceAll('z***@quern.example', ''))).toEqual([]);
});

it('opens the data of a person only with the key of that person', async () => {
  const [one, other] = [await pending(api, client), await pending(api, client)];
  await api.database.query(
    `update users u set data_key = o.data_key from users o where u.id = $1 and o.id = $2`,
    [one.userId, other.userId],
  );
  expect((await client.call('GET', `/v1/users/${one.userId}`)).status).toBe(500);
  expect((await client.call('GET', `/v1/users/${other.userId}`)).status).toBe(200);
  const document = await requireDocument(
    api.database,
    null,
    other.userId,
    other.documents['idFrontImg'] ?? '',
  );
  const services = { ...api.services, keyring: testKeyring() };
  await expect(documentContent(services, document)).rejects.toThrow();
  expect((await buffer(await documentContent(api.services, document))).length).toBeGreaterThan(0);
});

it('erases a person who was blocked for five years, and keeps the records', async () => {
  const email = `Zephyrine.${Date.now()}x@quern.example`;
  const { userId, id, documents } = await pending(api, client, { ...NAMED, email });
  await block(userId);
  await age(userId, 6);
  const document = await requireDocument(api.database, null, userId, documents['idFrontImg'] ?? '');
  await erase(userId);
  const { body } = await client.call('GET', `/v1/users/${userId}`);
  expect(body).toMatchObject({ id: userId, status: 'blocked', meta: {} });
  const holder = await client.call('GET', `/v1/cardholders/${id}`);
  expect(holder.body).toMatchObject({ id, maskedName: '', maskedEmail: '' });
  await expect(documentContent(api.services, document)).rejects.toThrow('missing or damaged');
  const patched = await client.call('PATCH', `/v1/users/${userId}`, { meta: { firstName: 'Ada' } });
  expect(patched).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  await expect(erase(userId)).rejects.toThrow('Only a blocked user may be erased, and once.');
  // Another person may have the e-mail again.
  await pending(api, client, { email });
});

it('keeps a person who is active, or whose retention is not over', async () => {
  const { userId } = await pending(api, client, NAMED);
  await age(userId, 6);
  await expect(erase(userId)).rejects.toThrow('Only a blocked user may be erased');
  await block(userId);
  await age(userId, 4);
  await expect(erase(userId)).rejects.toThrow('The user must be kept until');
  await api.database.query(`update tenants set settings = settings || '{"retentionYears":3}' where id = $1`, [
    client.clientId,
  ]);
  await erase(userId);
  expect((await client.call('GET', `/v1/users/${userId}`)).body.meta).toEqual({});
});
