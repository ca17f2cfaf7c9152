import { PERMISSIONS } from '../../../src/kernel/permissions';
import { key, permit } from '../../desk/support';
import { adminOf } from '../../support/admins';
import { activeCard } from '../../support/cards';
import { userInReview } from '../../support/uploads';
import { approvalIn, type Insider, type Outcome, outcomeOf, underHerName } from './insider';
import { anotherName, ask, invited } from './names';

type Try = (insider: Insider) => Promise<Outcome>;

const idOf = async ({ world }: Insider, name: string): Promise<string> =>
  String(await world.value('select id from operators where name = $1', name));

/** Other processes follow a change within a second. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 5_000; performance.now() < end; ) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not become so');
}

const callsAs = ({ world }: Insider, made: { clientId: string; clientSecret: string }) => ({
  call: (method: string, path: string, body?: object) =>
    world.api.call(method, path, body, {
      'x-client-id': made.clientId,
      'x-client-secret': made.clientSecret,
    }),
});

async function user({ world }: Insider): Promise<string> {
  const client = await world.tenant();
  const meta = { firstName: 'Ada', email: 'ada@example.com' };
  return (await client.call('POST', '/v1/users', { meta })).body.id;
}

/** Trials about admins, operators and personal data. */
export const PEOPLE: Record<string, Try> = {
  async 'makes himself an admin credential'(insider) {
    const told = await insider.decide('client.create', undefined, { name: 'Me', role: 'admin' });
    const { status } = await callsAs(insider, told.body).call('GET', '/v1/networks');
    expect(status).toBe(401);
    expect((await insider.approve(approvalIn(told))).status).toBe(409);
    const { world } = insider;
    expect((await world.bob('POST', `approvals/${approvalIn(told)}/approve`, {}, key())).status).toBe(200);
    const owner = 'select o.name from tenants t join operators o on o.id = t.operator_id where t.id = $1';
    expect(await world.value(owner, told.body.clientId)).toBe('ida');
    return outcomeOf(told);
  },
  async 'makes an admin credential that names another operator'(insider) {
    const asBob = { name: 'Bob', role: 'admin', operator: 'bob' };
    const told = await insider.decide('client.create', undefined, asBob);
    expect([told.status, told.body.field]).toEqual([400, 'input.operator']);
    return 'refused';
  },
  async "rotates another operator's credential"(insider) {
    const { clientId } = await adminOf(insider.world.api, 'bob');
    return outcomeOf(await insider.decide('client.rotate-secret', clientId));
  },
  async 'uses his credential after he was disabled'(insider) {
    const { api, bob } = insider.world;
    const eve = await adminOf(api, 'eve');
    const call = () => eve.call('GET', '/v1/networks');
    expect((await call()).status).toBe(200);
    const gone = { subject: await idOf(insider, 'eve'), input: {}, reason: 'left' };
    expect((await bob('POST', 'decisions/operator.disable', gone, key())).status).toBe(200);
    await until(async () => (await call()).status === 401);
    return outcomeOf(await call());
  },
  async 'uses a permission that he does not have'({ world: { api }, admin }) {
    await permit(api, 'ida', ['view', 'security']);
    const call = () => admin.call('POST', '/v1/accounts/admin-deposit', {});
    await until(async () => (await call()).status === 403);
    const told = await call();
    expect(told.body.message).toBe('It takes the permission money.');
    await permit(api, 'ida', [...PERMISSIONS]);
    await until(async () => (await call()).status === 400);
    return outcomeOf(told);
  },
  async 'gives himself or others permissions'(insider) {
    const input = { permissions: [...PERMISSIONS] };
    return outcomeOf(await insider.decide('operator.permit', await idOf(insider, 'bob'), input));
  },
  async 'invites himself under another name and admits the name'(insider) {
    const { id } = await invited(insider, insider.world.ida, 'alias');
    return outcomeOf(await insider.decide('operator.admit', id));
  },
  async 'admits a name that his other name has invited'(insider) {
    const alias = await anotherName(insider, insider.world.ida, 'alias of ida');
    const { id } = await invited(insider, alias, 'her third name');
    const told = await insider.decide('operator.admit', id);
    expect(told.body.message).toContain('stands behind the invitation');
    return outcomeOf(told);
  },
  async 'approves what a name asks for that his other name has invited'(insider) {
    const second = await anotherName(insider, insider.world.ida, 'second');
    const third = await anotherName(insider, second, 'third');
    const asked = await ask(third, 'operator.permit', await idOf(insider, 'bob'), { permissions: ['view'] });
    for (const each of [third, second])
      expect(outcomeOf(await each('POST', `approvals/${approvalIn(asked)}/approve`, {}, key()))).toBe(
        'refused',
      );
    return outcomeOf(await insider.approve(approvalIn(asked)));
  },
  async 'invites two other names and lets one approve what the other asks for'(insider) {
    const { ida } = insider.world;
    for (const { id, signIn } of [await invited(insider, ida, 'one'), await invited(insider, ida, 'two')]) {
      expect(outcomeOf(await insider.decide('operator.admit', id))).toBe('refused');
      expect((await (await signIn())('GET', 'catalogue')).status).toBe(401);
    }
    return 'waits';
  },
  async "resets another operator's code generator"(insider) {
    return outcomeOf(await insider.decide('operator.reset-code', await idOf(insider, 'bob')));
  },
  async 'disables another operator'(insider) {
    const { api } = insider.world;
    await api.database.query(
      `insert into operators (id, name, secret_hash, created_by, admitted_by, admitted_at, proposed_by)
       select replace(id::text, '_0', '_1'), 'tom', '\\x01', 'applicant', 'operator:ida', now(), 'operator:bob'
         from operators where name = 'ida'`,
    );
    const id = await idOf(insider, 'tom');
    return underHerName(insider, id, outcomeOf(await insider.decide('operator.disable', id)));
  },
  async 'disables a tenant'(insider) {
    const { clientId } = await insider.world.tenant();
    return underHerName(insider, clientId, outcomeOf(await insider.decide('client.disable', clientId)));
  },
  async "reads a user's data"(insider) {
    const id = await user(insider);
    const told = await insider.admin.call('GET', `/v1/users/${id}`);
    expect(told.body.meta.email).toBe('ada@example.com');
    const entry = await insider.audited(id);
    expect(entry?.after).toEqual({ fields: ['externalId', 'statusReason', 'meta'] });
    return underHerName(insider, id, outcomeOf(told));
  },
  async "reads a card's number"({ world, admin }) {
    const card = await activeCard(world.api, await world.tenant());
    return outcomeOf(await admin.call('GET', `/v1/cards/${card.id}/sensitive`));
  },
  async "sends a tenant's webhooks elsewhere"({ world, admin }) {
    const client = await world.tenant();
    const url = 'https://93.184.216.34/thief';
    expect((await admin.call('POST', '/v1/webhooks', { url })).status).toBe(201);
    expect((await client.call('GET', '/v1/webhooks')).body.data).toEqual([]);
    return 'refused';
  },
  async "completes a user's KYC"(insider) {
    const id = await userInReview(await insider.world.tenant(), { firstName: 'Ada' });
    const told = await insider.admin.call('PATCH', `/v1/users/${id}/kyc/status`, { status: 'completed' });
    return underHerName(insider, id, outcomeOf(told));
  },
  async 'changes the audit log'({ world: { api } }) {
    for (const text of ['update audit_log set actor = $1', 'delete from audit_log where actor <> $1'])
      await expect(api.database.query(text, ['operator:bob'])).rejects.toThrow('only added to');
    return 'refused';
  },
  async 'erases a person'(insider) {
    const id = await user(insider);
    await insider.world.api.database.query(
      `update users set status = 'blocked', updated_at = now() - interval '6 years' where id = $1`,
      [id],
    );
    return outcomeOf(await insider.decide('user.erase', id));
  },
  async 'adds a secret to a tenant'(insider) {
    const { clientId } = await insider.world.tenant();
    const told = await insider.decide('client.secret.add', clientId, { name: 'reporting' });
    const { api } = insider.world;
    const events = await api.database.query(
      `select 1 from events where tenant_id = $1 and event = 'client.secret_added'`,
      [clientId],
    );
    expect(events).toHaveLength(1);
    return underHerName(insider, clientId, outcomeOf(told));
  },
};
