import { buffer } from 'node:stream/consumers';
import { dataSealer } from '../../src/kernel/security/data-keys';
import { META_CONTEXT } from '../../src/kernel/security/sealed-columns';
import { documentContent, requireDocument } from '../../src/people/kyc/documents/documents';
import { beginUserKeys, endUserKeys, type UserKeyDeps } from '../../src/people/renew-keys';
import { type Client, type TestApi, testApi } from '../support/api';
import { pending } from './cardholders/support';

let api: TestApi;
let client: Client;
let deps: UserKeyDeps;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
  const { keyring, parties, now } = api.services;
  deps = { database: api.database, keyring, parties, now };
});
afterAll(() => api.close());

const NAMED = { firstName: 'Zephyrine', lastName: 'Quillfeather' };
const keysOf = async (id: string) => {
  const [row] = await api.database.query<{ key: Buffer; meta: Buffer; email: Buffer }>(
    `select u.data_key as key, u.meta_sealed as meta, c.email_sealed as email
       from users u join cardholders c on c.user_id = u.id where u.id = $1`,
    [id],
  );
  if (!row) throw new Error('there is no such user');
  return row;
};

/** A person with a cardholder and documents, and what the API tells of them. */
async function person() {
  const made = await pending(api, client, { ...NAMED, email: `z${Date.now()}@quern.example` });
  const documentId = made.documents['idFrontImg'] ?? '';
  const document = await requireDocument(api.database, null, made.userId, documentId);
  const told = async () => ({
    user: (await client.call('GET', `/v1/users/${made.userId}`)).body,
    holder: (await client.call('GET', `/v1/cardholders/${made.id}`)).body,
    content: (await buffer(await documentContent(api.services, document))).toString('hex'),
  });
  return { id: made.userId, told, before: await told(), keys: await keysOf(made.userId) };
}

it('gives a user a new key, seals everything of them anew, and destroys the earlier key', async () => {
  const { id, told, before, keys } = await person();
  expect(await beginUserKeys(deps, { userId: id })).toBe(1);
  expect(await told()).toEqual(before);
  expect(await beginUserKeys(deps, { userId: id })).toBe(0);
  expect(await endUserKeys(deps)).toMatchObject({ ended: 0, waiting: 1 });

  expect(await endUserKeys(deps, 0)).toEqual({ ended: 1, waiting: 0 });
  expect(await told()).toEqual(before);
  const after = await keysOf(id);
  expect(after.key).toHaveLength(keys.key.length);
  const old = dataSealer(api.services.keyring, id, keys.key);
  expect(old.open(keys.meta, META_CONTEXT).length).toBeGreaterThan(0);
  for (const sealed of [after.meta, after.email])
    expect(() => old.open(sealed, META_CONTEXT)).toThrow('another key');
  const own = dataSealer(api.services.keyring, id, after.key);
  expect(() => own.open(keys.meta, META_CONTEXT)).toThrow('another key');
});

it('goes on where the documents store was away', async () => {
  const { id, told, before } = await person();
  await beginUserKeys(deps, { userId: id });
  const documents = {
    ...api.services.parties.documents,
    put: () => Promise.reject(new Error('broken off')),
  };
  await expect(endUserKeys({ ...deps, parties: { documents } }, 0)).rejects.toThrow('broken off');
  expect(await told()).toEqual(before);
  expect(await endUserKeys(deps, 0)).toMatchObject({ ended: 1 });
  expect(await told()).toEqual(before);
});

it('takes changes and uploads of a user between, and loses none', async () => {
  const { id, told } = await person();
  await beginUserKeys(deps, { userId: id });
  const changed = await client.call('PATCH', `/v1/users/${id}`, { meta: { nickname: 'Zeph' } });
  expect(changed.status).toBe(200);
  const between = await told();
  await endUserKeys(deps, 0);
  expect(await told()).toEqual(between);
});

it('renews the keys of all users that were made before a time, and of no other', async () => {
  const [one, other] = [await person(), await person()];
  await api.database.query(`update users set data_key_at = now() - interval '2 years' where id = $1`, [
    one.id,
  ]);
  const madeBefore = new Date(Date.now() - 365 * 86_400_000);
  expect(await beginUserKeys(deps, { madeBefore })).toBe(1);
  expect(await endUserKeys(deps, 0)).toEqual({ ended: 1, waiting: 0 });
  expect((await keysOf(one.id)).key).not.toEqual(one.keys.key);
  expect((await keysOf(other.id)).key).toEqual(other.keys.key);
  expect(await beginUserKeys(deps, { madeBefore })).toBe(0);
});
