import { openMeta, requireUser } from '../../../src/people/users/operations';
import type { Client } from '../../support/api';
import { command, operatorEnvironment } from '../../support/operator';
import { createUser, jpeg, uploadAll, uploadDocument } from '../../support/uploads';
import { decide, type KycApi, kycApi, kycStatus } from './support';

/**
 * The approved version of a user's KYC is kept beside the present one. The reviewer of a later submission sees both.
 */

let api: KycApi;
let client: Client;
let admin: Client;
let operator: Record<string, string>;
beforeAll(async () => {
  api = await kycApi();
  client = await api.client();
  admin = await api.client('admin');
  operator = await operatorEnvironment(api.database, 'ida');
});
afterAll(() => api.close());

const META = { firstName: 'Ada', lastName: 'Byron', idType: 'DLN', idNo: 'D-1' };

async function completedUser(by = client, meta: Record<string, unknown> = META) {
  const userId = await createUser(by, meta);
  const documents = await uploadAll(by, userId);
  await by.call('POST', `/v1/users/${userId}/kyc/submit`);
  const decided = await decide(admin, userId, 'completed');
  if (decided.status !== 200) throw new Error(`not completed: ${decided.text}`);
  return { userId, documents };
}

/** The approved versions of a user's meta, opened, in order. */
async function versions(userId: string) {
  const user = await requireUser(api.database, null, userId);
  const kept = await api.database.query<{ sealed: Buffer }>(
    'select meta_sealed as sealed from kyc_approvals where user_id = $1 order by id',
    [userId],
  );
  return kept.map(({ sealed }) => openMeta(api.services, user, sealed));
}

const change = (userId: string, meta: object, by = client) =>
  by.call('PATCH', `/v1/users/${userId}`, { meta });
const approved = async (userId: string, by = admin) =>
  (await by.call('GET', `/v1/users/${userId}/kyc`)).body.approved;
const story = async (id: string, ...more: string[]) =>
  JSON.parse((await command(operator, 'show', id, '--json', ...more)).out);

it('keeps the approved values and documents beside the present ones, and names the changes', async () => {
  const { userId, documents } = await completedUser();
  expect(await approved(userId)).toMatchObject({ submission: 1, changed: [] });
  await change(userId, { lastName: 'Lovelace', town: '1' });
  const { body: newer } = await uploadDocument(client, userId, 'idFrontImg', jpeg('another'));
  const seen = await approved(userId);
  expect(seen).toMatchObject({ submission: 1, changed: ['idFrontImg', 'lastName', 'town'] });
  expect(seen.documents.map(({ documentId }: { documentId: string }) => documentId).sort()).toEqual(
    [...documents].sort(),
  );
  expect(seen.documents.map(({ documentId }: { documentId: string }) => documentId)).not.toContain(newer.id);
  expect(JSON.stringify(seen)).not.toContain('Byron');
  expect(await approved(userId, client)).toBeUndefined();
  const content = await admin.call('GET', `/v1/users/${userId}/kyc/documents/${documents[0]}/content`);
  expect(content.status).toBe(200);
});

it('keeps meta as given, with NUL and half a surrogate', async () => {
  const meta = { ...META, nickname: 'a\u0000b', half: '\ud800', 'na\u0000me': 1 };
  const { userId } = await completedUser(client, meta);
  expect(await approved(userId)).toMatchObject({ changed: [] });
  expect(await versions(userId)).toEqual([meta]);
});

it('shows a reviewer both versions; the masked story shows only the names of changes', async () => {
  const { userId } = await completedUser();
  expect((await story(userId, '--reveal', '--reason', 'review')).revealed).toEqual(META);
  await change(userId, { lastName: 'Lovelace' });
  const masked = await story(userId);
  expect(masked.record.kyc.approved.changed).toEqual(['lastName']);
  expect(JSON.stringify(masked)).not.toContain('Byron');
  expect((await story(userId, '--reveal', '--reason', 'review')).revealed).toEqual({
    ...META,
    lastName: 'Lovelace',
    kycApproved: { changed: ['lastName'], meta: META, documents: expect.any(Array) },
  });
});

it('is replaced by the version of the next completed review, and both are kept', async () => {
  const { userId } = await completedUser();
  await change(userId, { lastName: 'Lovelace' });
  await decide(admin, userId, 'resubmission_required');
  await client.call('POST', `/v1/users/${userId}/kyc/submit`);
  expect(await approved(userId)).toMatchObject({ submission: 1, changed: ['lastName'] });
  await decide(admin, userId, 'completed');
  expect(await approved(userId)).toMatchObject({ submission: 2, changed: [] });
  expect((await versions(userId)).map(({ lastName }) => lastName)).toEqual(['Byron', 'Lovelace']);
});

it('leaves out a document that was added after the submission', async () => {
  const userId = await createUser(client, META);
  const documents = await uploadAll(client, userId);
  await client.call('POST', `/v1/users/${userId}/kyc/submit`);
  await uploadDocument(client, userId, 'idFrontImg', jpeg('after the submission'));
  await decide(admin, userId, 'completed');
  const seen = await approved(userId);
  expect(seen.changed).toEqual(['idFrontImg']);
  expect(seen.documents).toHaveLength(documents.length);
});

describe('with kycOnChange=resubmit', () => {
  let strict: Client;
  beforeAll(async () => {
    strict = await api.client();
    await api.database.query(
      `update tenants set settings = settings || '{"kycOnChange":"resubmit"}' where id = $1`,
      [strict.clientId],
    );
  });

  it.each([
    ['a field', (userId: string) => change(userId, { lastName: 'Lovelace' }, strict)],
    ['a file', (userId: string) => uploadDocument(strict, userId, 'idFrontImg', jpeg('another'))],
  ])('requires a new submission when the client changes %s', async (_, changes) => {
    const { userId } = await completedUser(strict);
    await changes(userId);
    expect(await kycStatus(strict, userId)).toBe('resubmission_required');
    const [event] = await api.database.query<{ data: string }>(
      `select data from events where event = 'kyc.status_changed' and data::json ->> 'userId' = $1 order by number desc limit 1`,
      [userId],
    );
    expect(JSON.parse(event?.data ?? '')).toMatchObject({
      previousStatus: 'completed',
      status: 'resubmission_required',
    });
    expect((await strict.call('POST', `/v1/users/${userId}/kyc/submit`)).body.status).toBe('in_review');
  });

  it('does not require a submission for an unchanged value or an admin’s change', async () => {
    const { userId } = await completedUser(strict);
    await change(userId, { lastName: 'Byron' }, strict);
    await change(userId, { lastName: 'Lovelace' }, admin);
    expect(await kycStatus(strict, userId)).toBe('completed');
  });
});

it('keeps the status by default', async () => {
  const { userId } = await completedUser();
  await change(userId, { lastName: 'Lovelace' });
  expect(await kycStatus(client, userId)).toBe('completed');
});
