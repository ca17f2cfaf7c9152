import { type TestApi, testApi } from '../support/api';
import { type TestDesk, testDesk } from '../support/desk';
import { setLimits } from '../support/operator';
import { type Ask, asOperator, key, operators, type Person } from './support';

let api: TestApi;
let desk: TestDesk;
let ida: Ask;
let bob: Ask;
let bobsId: string;
let idasId: string;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services);
  const people = await operators(api, 'ida', 'bob');
  [ida, bob] = (await Promise.all(people.map((each: Person) => asOperator(desk.url, each)))) as [Ask, Ask];
  const { body } = await ida('GET', 'lists/operators');
  [idasId, bobsId] = body.data.map(({ id }: { id: string }) => id);
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

const permit = (by: Ask, subject: string, ...permissions: string[]) =>
  by('POST', 'decisions/operator.permit', { subject, input: { permissions }, reason: 'new work' }, key());

it('are given at once without dual control, and count in the next request', async () => {
  const { status, body } = await permit(ida, bobsId, 'view', 'money');
  expect([status, body.result]).toEqual([
    200,
    { operatorId: bobsId, name: 'bob', permissions: ['view', 'money'] },
  ]);
  const { body: shown } = await bob('GET', 'catalogue');
  expect(shown.operator).toEqual({ name: 'bob', permissions: ['view', 'money'] });
  expect((await permit(bob, bobsId, 'security')).status).toBe(403);
  // No party is asked for an operator who may not decide: with the permission, fields are missing.
  const unknown = { subject: 'nowhere', input: { name: 'Nowhere' } };
  expect((await bob('POST', 'decisions/network.config/preview', unknown)).status).toBe(403);
  expect((await ida('POST', 'decisions/network.config/preview', unknown)).status).toBe(400);
  expect((await permit(ida, bobsId, 'everything')).body).toMatchObject({ code: 'invalid_request' });
});

it('are never taken from the last operator who could give them back', async () => {
  const { status, body } = await permit(ida, idasId, 'view');
  expect([status, body.code]).toEqual([409, 'invalid_transition']);
});

it('take two operators under dual control', async () => {
  await permit(ida, bobsId, 'view', 'security');
  await setLimits(api.database, { dualControl: 'on' });
  const { status, body } = await permit(ida, bobsId, 'view', 'security', 'chain');
  expect([status, body.approval.changes]).toEqual([
    202,
    [{ field: 'permissions', from: 'view security', to: 'view security chain' }],
  ]);
  expect((await bob('GET', 'catalogue')).body.operator.permissions).toEqual(['view', 'security']);
  const approved = await bob('POST', `approvals/${body.approval.id}/approve`, {}, key());
  expect([approved.status, approved.body.result]).toMatchObject([
    200,
    { permissions: ['view', 'security', 'chain'] },
  ]);
  await setLimits(api.database, { dualControl: 'off' });
});

it('are shown in the story of an operator, without what the operator signs in by', async () => {
  const { body, text } = await ida('GET', `records/${bobsId}`);
  expect(body).toMatchObject({ what: 'operator', status: 'admitted' });
  expect(body.decisions).toContain('operator.permit');
  expect(text).not.toMatch(/secret|totp/i);
});
