import { requireApproval } from '../../src/process/approvals/operations';
import { sealOf } from '../../src/process/approvals/seal';
import { type Client, type TestApi, testApi } from '../support/api';
import { type TestDesk, testDesk } from '../support/desk';
import { setAdminLimit } from '../support/operator';
import { entered, hiddenOf, type Visitor, wordsIn } from './console/support';
import { type Ask, asOperator, key, operators, type Person, permit } from './support';

/** Approvals that a former release has stored, in a form that this release does not have. */

let api: TestApi;
let desk: TestDesk;
let ida: Ask;
let bob: Ask;
let page: Visitor;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services);
  const people = await operators(api, 'ida', 'bob');
  ida = await asOperator(desk.url, people[0] as Person);
  bob = await asOperator(desk.url, people[1] as Person);
  page = await entered(desk.url, people[1] as Person);
  client = await api.client();
  await setAdminLimit(api.database, '1');
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

/** Asks for a decision that takes two, and changes the stored approval, sealed as the former release would. */
async function stored(change: { kind?: string; terms?: object }): Promise<string> {
  const { body } = await client.call('GET', '/v1/accounts');
  const asked = { subject: body.data[0].id, input: { amount: '50.00' }, reason: 'the slip' };
  const { id } = (await ida('POST', 'decisions/account.deposit', asked, key())).body.approval;
  const { kind = null, terms = null } = change;
  await api.database.query(
    'update approvals set kind = coalesce($2, kind), terms = coalesce($3, terms) where id = $1',
    [id, kind, terms === null ? null : JSON.stringify(terms)],
  );
  const seal = sealOf(api.services.keyring, await requireApproval(api.database, id));
  await api.database.query('update approvals set seal = $2 where id = $1', [id, seal]);
  return id;
}

const FORMER = [
  ['a decision', { kind: 'account.top-up' }, 'this release has no decision account.top-up'],
  ['an input', { terms: { sum: '50.00' } }, 'this release cannot read the input of the decision'],
] as const;

it.each(FORMER)(
  'an approval of %s of a former release is refused plainly, and rejected',
  async (_, change, why) => {
    const id = await stored(change);
    const told = await bob('POST', `approvals/${id}/approve`, {}, key());
    expect([told.status, told.body.code, told.body.message]).toEqual([
      409,
      'invalid_transition',
      expect.stringContaining(why),
    ]);
    expect(told.body.message).toMatch(/^Another release stored this approval.*Reject it, and ask again\.$/);
    const path = `/approvals/${id}`;
    const shown = await page.post(path, { ...hiddenOf((await page.get(path)).text, path), step: 'approve' });
    expect([shown.status, wordsIn(shown.text)]).toEqual([409, expect.stringContaining(why)]);
    expect((await bob('GET', `approvals/${id}`)).body.status).toBe('pending');
    const ended = await bob('POST', `approvals/${id}/reject`, { reason: 'asks again' }, key());
    expect([ended.status, ended.body.approval.status]).toEqual([200, 'rejected']);
  },
);

it('a decision of a former release is rejected with the permission security', async () => {
  const id = await stored({ kind: 'account.top-up' });
  await permit(api, 'bob', ['view', 'money']);
  const refused = await bob('POST', `approvals/${id}/reject`, { reason: 'x' }, key());
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('security')]);
  await permit(api, 'bob', ['view', 'security']);
  const ended = await bob('POST', `approvals/${id}/reject`, { reason: 'x' }, key());
  expect(ended.body.approval).toMatchObject({ status: 'rejected', decidedBy: 'operator:bob' });
});
