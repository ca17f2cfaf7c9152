import { checkLedger } from '../../src/kernel/ledger/check';
import { type TestDesk, testDesk } from '../support/desk';
import { setAdminLimit } from '../support/operator';
import { completed, type DepositWorld, depositWorld, look, pay } from '../transfers/deposits/support';
import { type Ask, asOperator, key, operators, type Person, permit } from './support';

let world: DepositWorld;
let desk: TestDesk;
let ida: Ask;
let bob: Ask;
let eve: Ask;
beforeAll(async () => {
  world = await depositWorld();
  desk = await testDesk(world.api.services);
  const people = await operators(world.api, 'ida', 'bob', 'eve');
  [ida, bob, eve] = (await Promise.all(people.map((each: Person) => asOperator(desk.url, each)))) as [
    Ask,
    Ask,
    Ask,
  ];
  await setAdminLimit(world.api.database, '49.99');
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(async () => {
  await desk.close();
  await world.close();
});

/** A completed deposit with an excess payment of 50.00 in suspense. */
async function surplus(): Promise<{ id: string; accountId: string }> {
  const { id, accountId, session } = await completed(world);
  pay(session, { amount: '150.00' }, true);
  await look(world, id);
  return { id, accountId };
}

async function askedFor(id: string): Promise<string> {
  const asked = { subject: id, input: {}, reason: 'seen the slip' };
  const { status, body } = await ida('POST', 'decisions/suspense.write-off', asked, key());
  expect(status).toBe(202);
  expect(body).toMatchObject({
    why: expect.stringContaining('the limit is 49.99 USD'),
    approval: {
      kind: 'suspense.write-off',
      subject: id,
      status: 'pending',
      amount: '50.00',
      currency: 'USD',
      requestedBy: 'operator:ida',
      changes: [
        { field: 'suspense', from: '50.00 USD', to: '0.00 USD' },
        { field: 'losses', from: null, to: '50.00 USD' },
      ],
      restsOn: { status: 'completed', 'left in USD': '50' },
    },
  });
  return body.approval.id;
}

const leftOf = async (id: string) =>
  (await ida('GET', `lists/suspense?transfer=${id}`)).body.data.map((row: { amount: object }) => row.amount);

it('above the limit a decision is stored whole, and another operator carries it out', async () => {
  const { id } = await surplus();
  const approval = await askedFor(id);
  expect(await leftOf(id)).toEqual([{ amount: '50.00', currency: 'USD' }]);
  expect((await bob('GET', 'approvals')).body.data).toContainEqual(expect.objectContaining({ id: approval }));
  const own = await ida('POST', `approvals/${approval}/approve`, {}, key());
  expect([own.status, own.body.code]).toEqual([409, 'invalid_transition']);
  await permit(world.api, 'eve', ['view', 'security']);
  expect((await eve('POST', `approvals/${approval}/approve`, {}, key())).status).toBe(403);
  const again = key();
  const { status, text, body } = await bob('POST', `approvals/${approval}/approve`, {}, again);
  expect([status, body]).toEqual([
    200,
    {
      approval: expect.objectContaining({ id: approval, status: 'approved', decidedBy: 'operator:bob' }),
      result: { transferId: id, left: [] },
    },
  ]);
  expect((await bob('POST', `approvals/${approval}/approve`, {}, again)).text).toBe(text);
  expect(await leftOf(id)).toEqual([]);
  const audited = await world.api.database.query(
    'select actor, action from audit_log where subject in ($1, $2) order by id',
    [id, approval],
  );
  expect(audited).toEqual([
    { actor: 'operator:ida', action: 'approval.ask' },
    { actor: 'operator:bob', action: 'approval.approve' },
    { actor: 'operator:bob', action: 'suspense.write-off' },
  ]);
});

it('an approval is 409 with what has changed, and still waits', async () => {
  const { id, accountId } = await surplus();
  const approval = await askedFor(id);
  const part = { subject: id, input: { amount: '10.00', account: accountId }, reason: 'the payer named it' };
  const credited = await bob('POST', 'decisions/suspense.credit', part, key());
  expect([credited.status, credited.body.result]).toEqual([
    200,
    { transferId: id, left: [{ amount: '40.00', currency: 'USD' }] },
  ]);
  const refused = await bob('POST', `approvals/${approval}/approve`, {}, key());
  expect([refused.status, refused.body]).toMatchObject([
    409,
    { code: 'version_conflict', changed: [{ field: 'left in USD', from: '50', to: '40' }] },
  ]);
  expect((await ida('GET', `approvals/${approval}`)).body.status).toBe('pending');
  const taken = await ida('POST', `approvals/${approval}/reject`, { reason: 'asks again' }, key());
  expect(taken.body.approval).toMatchObject({ status: 'rejected', decidedBy: 'operator:ida' });
});

it('concurrent decisions of one person cannot exceed the limit together', async () => {
  await setAdminLimit(world.api.database, '100');
  await world.api.database.query('delete from decided_alone');
  const all = await Promise.all([surplus(), surplus(), surplus()]);
  const answers = await Promise.all(
    all.map(({ id }) => bob('POST', 'decisions/suspense.write-off', { subject: id, reason: 'old' }, key())),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 202]);
});

it('a wrong input names its field within the input', async () => {
  const { id } = await surplus();
  const asked = async (name: string, input: object) =>
    (await ida('POST', `decisions/${name}`, { subject: id, input, reason: 'x' }, key())).body;
  expect(await asked('suspense.credit', {})).toMatchObject({
    code: 'invalid_request',
    field: 'input.account',
  });
  expect(await asked('suspense.write-off', { amount: 10 })).toMatchObject({ field: 'input.amount' });
  expect(await asked('suspense.write-off', { amount: '60.00' })).toMatchObject({ code: 'limit_exceeded' });
});
