import { type Client, type TestApi, testApi } from '../support/api';
import { masterAccount } from '../support/cards';
import { type TestDesk, testDesk } from '../support/desk';
import { jpeg, uploadDocument, userInReview } from '../support/uploads';
import { type Ask, asOperator, key, operators, type Person, permit } from './support';

let api: TestApi;
let desk: TestDesk;
let client: Client;
let ida: Ask;
let bob: Ask;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services);
  client = await api.client();
  const people = await operators(api, 'ida', 'bob');
  [ida, bob] = (await Promise.all(people.map((each: Person) => asOperator(desk.url, each)))) as [Ask, Ask];
  await permit(api, 'bob', ['view', 'money']);
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

const documentOf = async (userId: string) =>
  (await client.call('GET', `/v1/users/${userId}/kyc`)).body.documents[0] as { id: string; slot: string };

describe('the content of a document', () => {
  const reason = { reason: 'the review' };

  it('takes the permission review and a reason, and is audited before it is sent', async () => {
    const { id, slot } = await documentOf(await userInReview(client, {}));
    expect((await bob('POST', `records/${id}/content`, reason)).status).toBe(403);
    expect((await ida('POST', `records/${id}/content`, {})).status).toBe(400);
    const { status, headers, text } = await ida('POST', `records/${id}/content`, reason);
    expect([status, text]).toEqual([200, jpeg(slot).toString()]);
    expect(headers).toMatchObject({
      'content-type': 'image/jpeg',
      'content-disposition': `attachment; filename="${id}"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const audited = 'select actor, action, after from audit_log where subject = $1';
    expect(await api.database.query(audited, [id])).toEqual([
      { actor: 'operator:ida', action: 'kyc.download-document', after: reason },
    ]);
  });

  it('is refused for a record without a file, and for no record', async () => {
    const userId = await userInReview(client, {});
    expect((await ida('POST', `records/${userId}/content`, reason)).status).toBe(400);
    expect((await ida('POST', 'records/doc_none/content', reason)).status).toBe(404);
  });
});

it('a review is not ended on a document that came after the preview', async () => {
  const subject = await userInReview(client, {});
  const shown = await ida('POST', 'decisions/kyc.approve/preview', { subject });
  expect(shown.body.effects).toEqual([{ field: 'status', from: 'in_review', to: 'completed' }]);
  await uploadDocument(client, subject, 'idFrontImg', jpeg('another'));
  const { version } = shown.body;
  const late = await ida('POST', 'decisions/kyc.approve', { subject, version }, key());
  expect([late.status, late.body.code]).toEqual([409, 'version_conflict']);
  expect(late.body.changed).toMatchObject([{ field: 'newest document' }]);
  expect((await bob('POST', 'decisions/kyc.approve', { subject }, key())).status).toBe(403);
  expect((await ida('POST', 'decisions/kyc.approve', { subject }, key())).status).toBe(200);
});

it('a preview of a correction shows the balance, and refuses what the money does not cover', async () => {
  const subject = await masterAccount(client);
  const preview = (verb: string) =>
    bob('POST', `decisions/account.${verb}/preview`, { subject, input: { amount: '5.00' } });
  expect((await preview('deposit')).body.effects).toEqual([
    { field: 'available', from: '0.00 USD', to: '5.00 USD' },
  ]);
  const refused = await preview('withdraw');
  expect([refused.status, refused.body.code]).toEqual([409, 'insufficient_funds']);
  const closing = await bob('POST', 'decisions/account.close/preview', { subject });
  expect(closing.body.effects).toEqual([{ field: 'status', from: 'active', to: 'closed' }]);
});
