import { apiRoutes } from '../../src/composition';
import { permissionOf } from '../../src/http/permission';
import { route } from '../../src/http/route';
import { PERMISSIONS } from '../../src/kernel/permissions';
import { asOperator, key, operators, type Person, permit } from '../desk/support';
import { adminOf } from '../support/admins';
import { type Client, type TestApi, testApi } from '../support/api';
import { masterAccount } from '../support/cards';
import { type TestDesk, testDesk } from '../support/desk';
import { setAdminLimit } from '../support/operator';

let api: TestApi;
let desk: TestDesk;
let people: { ida: Person; bob: Person };
let [ida, nobody, client] = [] as unknown as [Client, Client, Client];
let [usd, userId] = ['', ''];
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services);
  const [one, two] = (await operators(api, 'ida', 'bob', 'eve')) as [Person, Person];
  people = { ida: one, bob: two };
  [ida, nobody, client] = [await adminOf(api, 'ida'), await api.client('admin'), await api.client()];
  usd = await masterAccount(client);
  const meta = { firstName: 'Ada', email: 'ada@example.com' };
  userId = (await client.call('POST', '/v1/users', { externalId: 'ext-4711', meta })).body.id;
});
beforeEach(async () => {
  await permit(api, 'ida', [...PERMISSIONS]);
  api.services.access.forget(ida.clientId);
  await setAdminLimit(api.database, '1000000');
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

const audited = (action: string) =>
  api.database.query<{ actor: string; subject: string; after: any }>(
    'select actor, subject, after from audit_log where action = $1 order by id',
    [action],
  );
const credit = (admin: Client, amount = '1.00') =>
  admin.call('POST', '/v1/accounts/admin-deposit', { accountId: usd, amount, reason: 'test' }, key());

/** Other processes follow within a second. */
async function becomes(see: () => Promise<number>, wanted: number): Promise<void> {
  for (const end = performance.now() + 5_000; performance.now() < end; ) {
    if ((await see()) === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(await see()).toBe(wanted);
}

describe('the credential of an operator', () => {
  it('names its operator in the audit log and in decisions', async () => {
    const { status } = await credit(ida);
    expect(status).toBe(201);
    expect((await audited('accounts.admin-deposit')).at(-1)).toMatchObject({
      actor: 'operator:ida',
      subject: usd,
    });
    const sums = await api.database.query('select distinct decided_by from decided_alone');
    expect(sums).toContainEqual({ decided_by: 'operator:ida' });
  });

  it('ends with its operator', async () => {
    const eve = await adminOf(api, 'eve');
    expect((await eve.call('GET', '/v1/networks')).status).toBe(200);
    await api.database.query(
      `update operators set disabled_at = now(), disabled_by = 'operator:ida', disabled_reason = 'left' where name = 'eve'`,
    );
    await becomes(async () => (await eve.call('GET', '/v1/networks')).status, 401);
  });

  it('gets an approval above the limit, which another operator carries out', async () => {
    await setAdminLimit(api.database, '100');
    const asked = await credit(ida, '5000.00');
    expect([asked.status, asked.body]).toEqual([202, { approvalId: expect.stringMatching(/^apr_/) }]);
    const approve = async (person: Person) =>
      (await asOperator(desk.url, person))('POST', `approvals/${asked.body.approvalId}/approve`, {}, key());
    expect((await approve(people.ida)).status).toBe(409);
    const before = (await client.call('GET', `/v2/accounts/${usd}/balance`)).body.available;
    const done = await approve(people.bob);
    expect([done.status, done.body.result.amount]).toEqual([200, '5000.00']);
    const after = (await client.call('GET', `/v2/accounts/${usd}/balance`)).body.available;
    expect(Number(after) - Number(before)).toBe(5000);
  });

  it('gets an approval above the limit for an off-ramp, too', async () => {
    await setAdminLimit(api.database, '100');
    const body = { accountId: usd, amount: '5000.00', reference: 'ramp-1' };
    const asked = await ida.call('POST', '/v1/accounts/offramp-deposit', body, key());
    expect([asked.status, asked.body]).toEqual([202, { approvalId: expect.stringMatching(/^apr_/) }]);
    const bob = await asOperator(desk.url, people.bob);
    const done = await bob('POST', `approvals/${asked.body.approvalId}/approve`, {}, key());
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('5000.00')]);
  });

  it('without a name is refused above the limit', async () => {
    await setAdminLimit(api.database, '100');
    const { status, body } = await credit(nobody, '5000.00');
    expect([status, body.code]).toEqual([409, 'limit_exceeded']);
  });
});

describe('the audit log', () => {
  it.each([
    ['getUser', () => `/v1/users/${userId}`, ['externalId', 'statusReason', 'meta']],
    ['getKyc', () => `/v1/users/${userId}/kyc`, ['reason', 'notes']],
  ])('has an admin’s reading by %s, with the names of the fields alone', async (_, path, fields) => {
    const { status } = await ida.call('GET', path());
    expect(status).toBe(200);
    const [newest] = await api.database.query<{ actor: string; subject: string; after: object }>(
      'select actor, subject, after from audit_log order by id desc limit 1',
    );
    expect(newest).toEqual({ actor: 'operator:ida', subject: userId, after: { fields } });
    const count = async () => (await api.database.query('select 1 from audit_log')).length;
    const before = await count();
    await client.call('GET', path());
    expect(await count()).toBe(before);
  });

  it('never holds what was read', async () => {
    await ida.call('GET', `/v1/users/${userId}`);
    const log = JSON.stringify(await api.database.query('select * from audit_log'));
    for (const secret of ['ada@example.com', 'ext-4711', 'Ada']) expect(log).not.toContain(secret);
  });

  it('has each change by an admin, once', async () => {
    const count = async () => (await api.database.query('select 1 from audit_log')).length;
    const accountId = await masterAccount(client, 'EUR');
    const body = { method: 'sepa', amount: '10.00' };
    const before = await count();
    const quoted = await ida.call('POST', `/v2/accounts/${accountId}/payout-quote`, body);
    expect([quoted.status, await count()]).toEqual([201, before + 1]);
    await credit(ida);
    expect(await count()).toBe(before + 2);
  });

  it('has the registration of a webhook, whoever makes it', async () => {
    const url = 'https://93.184.216.34/hooks?token=secret';
    expect((await client.call('POST', '/v1/webhooks', { url, type: 'card' })).status).toBe(201);
    expect((await client.call('DELETE', '/v1/webhooks?type=card')).status).toBe(204);
    const after = { type: 'card', origin: 'https://93.184.216.34' };
    expect(await audited('webhooks.set')).toMatchObject([{ actor: client.clientId, after }]);
    expect(await audited('webhooks.delete')).toMatchObject([
      { actor: client.clientId, after: { type: 'card' } },
    ]);
  });
});

it('no operation of the API lacks a permission', () => {
  for (const each of apiRoutes(api.services))
    if (each.role !== 'public') expect(PERMISSIONS).toContain(permissionOf(each));
  const admins = {
    method: 'POST',
    path: '/v1/x',
    summary: 'x',
    role: 'admin',
    scope: 'money',
    write: async () => ({}),
  } as const;
  expect(() => permissionOf(route({ ...admins, tag: 'Accounts' }))).toThrow('POST /v1/x names no permission');
  const clients = { ...admins, role: 'client', tag: 'Unknown' } as const;
  expect(() => permissionOf(route(clients))).toThrow('names no permission');
});
