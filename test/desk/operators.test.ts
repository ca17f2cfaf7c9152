import { type TOTP, URI } from 'otpauth';
import { mailWaiting } from '../../src/desk/mail/mail-waiting';
import { addOperator, admitOperator } from '../../src/desk/operators/operations';
import { deskCatalogue } from '../../src/desk-catalogue';
import type { Mail } from '../../src/parties/mail/port';
import { PartyAway, PartyRefused } from '../../src/process/party-errors';
import { type TestApi, testApi } from '../support/api';
import { pastGuards } from '../support/database';
import { type TestDesk, testDesk } from '../support/desk';
import { type Ask, asOperator, calling, key, operators, type Person } from './support';

let api: TestApi;
let desk: TestDesk;
// Postgres ends sessions and links by the machine's time, so the desk's clock is ahead of it.
let now: number;
let ida: Ask;
let bob: Ask;
let person: { ida: Person; bob: Person };
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services, { clock: () => new Date(now) });
  now = Date.parse('2126-03-01T12:00:00Z');
  const [one, two] = (await operators(api, 'ida', 'bob')) as [Person, Person];
  person = { ida: one, bob: two };
});
beforeEach(async () => {
  now = Date.parse('2126-03-01T12:00:00Z');
  [ida, bob] = [await asOperator(desk.url, person.ida), await asOperator(desk.url, person.bob)];
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

const SECRET = 'correct horse battery';
const link = (path: string, body: object) => calling(desk.url)('POST', `links/${path}`, body);
const decide = (ask: Ask, name: string, body: object) => ask('POST', `decisions/${name}`, body, key());
const invite = (ask: Ask, name: string, permissions = ['view', 'money']) =>
  decide(ask, 'operator.invite', { input: { name, permissions } });
const codeOf = (address: string, at = now): string =>
  (URI.parse(address) as TOTP).generate({ timestamp: at });
const generatorOf = async (token: string) => (await link('look', { token })).body.codeGenerator as string;
const audited = (action: string) =>
  api.database.query<{ actor: string; subject: string; after: Record<string, unknown> }>(
    'select actor, subject, after from audit_log where action = $1 order by id',
    [action],
  );

describe('an invited operator', () => {
  it('sets a secret and a code generator by a one-time link, and is admitted by another operator', async () => {
    const { status, body } = await invite(ida, 'eve');
    const { token, operatorId, ...rest } = body.result;
    expect([status, rest]).toEqual([200, { name: 'eve', expiresAt: '2126-03-02T12:00:00.000Z' }]);
    const kept = await api.database.query('select * from operator_links');
    expect(JSON.stringify(kept)).not.toContain(token);
    const generator = await generatorOf(token);
    const used = await link('use', { token, secret: SECRET, code: codeOf(generator) });
    expect([used.status, used.body]).toEqual([201, { operatorId, name: 'eve', purpose: 'invitation' }]);
    expect((await link('use', { token, secret: SECRET, code: codeOf(generator) })).status).toBe(404);
    expect((await link('look', { token })).status).toBe(404);

    now += 30_000;
    const eve = { name: 'eve', secret: SECRET, code: codeOf(generator) };
    expect((await calling(desk.url)('POST', 'sessions', eve)).status).toBe(403);
    const own = await decide(ida, 'operator.admit', { subject: operatorId });
    expect([own.status, own.body.message]).toEqual([409, expect.stringContaining('You have invited eve')]);
    const preview = await bob('POST', 'decisions/operator.admit/preview', { subject: operatorId });
    expect(preview.body.effects).toContainEqual({ field: 'permissions', from: null, to: 'view money' });
    const admitted = await decide(bob, 'operator.admit', { subject: operatorId });
    expect(admitted.body.result).toMatchObject({ status: 'admitted', proposedBy: 'operator:ida' });
    now += 30_000;
    const signedIn = await calling(desk.url)('POST', 'sessions', { ...eve, code: codeOf(generator) });
    expect(signedIn.body.permissions).toEqual(['view', 'money']);
    expect(await audited('operator.invite')).toMatchObject([
      { actor: 'operator:ida', subject: operatorId, after: { name: 'eve', permissions: ['view', 'money'] } },
    ]);
    expect(await audited('operator.join')).toMatchObject([
      { actor: 'applicant', subject: operatorId, after: { name: 'eve', invitedBy: 'operator:ida' } },
    ]);
  });

  it('and who has invited are not two people', async () => {
    const { body } = await invite(ida, 'puppet', ['view', 'security']);
    const { token, operatorId } = body.result;
    const generator = await generatorOf(token);
    await link('use', { token, secret: 'a secret of the puppet', code: codeOf(generator) });
    await decide(bob, 'operator.admit', { subject: operatorId });
    now += 30_000;
    const puppet = await asOperator(desk.url, {
      name: 'puppet',
      secret: 'a secret of the puppet',
      code: codeOf(generator),
    } as Person);
    const asked = await decide(ida, 'operator.reset-code', { subject: 'bob', reason: 'lost' });
    const approve = (ask: Ask) => ask('POST', `approvals/${asked.body.approval.id}/approve`, {}, key());
    expect((await approve(puppet)).body).toMatchObject({
      code: 'invalid_transition',
      message: expect.stringContaining('a third operator'),
    });
  });

  it('has 24 hours and ten tries, and no name of another operator', async () => {
    const { token } = (await invite(ida, 'fay')).body.result;
    const generator = await generatorOf(token);
    const wrong = await link('use', { token, secret: SECRET, code: '000000' });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'unauthorized']);
    const taken = await link('use', { token, secret: person.ida.secret, code: codeOf(generator) });
    expect([taken.status, taken.body.field]).toEqual([400, 'secret']);
    expect((await link('use', { token, secret: 'short', code: codeOf(generator) })).status).toBe(400);
    for (let tries = 1; tries < 10; tries += 1)
      expect((await link('use', { token, secret: SECRET, code: '12' })).status).toBe(401);
    expect((await link('look', { token })).status).toBe(404);

    const again = (await invite(ida, 'fay')).body.result.token as string;
    const anew = (await invite(bob, 'fay')).body.result.token as string;
    expect((await link('look', { token: again })).status).toBe(404);
    now += 24 * 3_600_000;
    expect((await link('look', { token: anew })).status).toBe(404);
    now -= 24 * 3_600_000;
    const used = await invite(ida, 'BOB');
    expect([used.status, used.body.field]).toEqual([400, 'name']);
    expect((await link('look', { token: 'unknown' })).status).toBe(404);
  });
});

it('beside the sandbox’s folder, a new operator is not one of the sandbox’s own operator', async () => {
  const { keyring } = api.services;
  const { operatorId: id } = await api.database.transaction((tx) =>
    addOperator(tx, keyring, { name: 'guest', createdBy: 'operator:demo' }),
  );
  const rows = await api.database.query('select created_by, proposed_by from operators where id = $1', [id]);
  expect(rows).toEqual([{ created_by: 'applicant', proposed_by: null }]);
});

describe('a lost code generator', () => {
  it('is reset by two others, and the operator needs the old secret', async () => {
    const own = await decide(bob, 'operator.reset-code', { subject: 'bob', reason: 'lost' });
    expect(own.status).toBe(403);
    const asked = await decide(ida, 'operator.reset-code', { subject: 'bob', reason: 'lost' });
    expect([asked.status, asked.body.approval.subject]).toEqual([202, expect.stringMatching(/^opr_/)]);
    const { token, approval } = asked.body;
    expect((await link('look', { token })).status).toBe(404);
    const approve = (ask: Ask) => ask('POST', `approvals/${approval.id}/approve`, {}, key());
    expect([(await approve(ida)).status, (await approve(bob)).status]).toEqual([409, 403]);
    const cid = await operatorsToo('cid');
    const third = await asOperator(desk.url, cid);
    expect((await approve(third)).status).toBe(200);
    const shown = (await third('GET', `records/${approval.id as string}`)).body;
    expect(shown).toMatchObject({ what: 'approval', status: 'approved', record: { terms: {} } });

    const generator = await generatorOf(token);
    expect((await link('use', { token, secret: SECRET, code: codeOf(generator) })).status).toBe(401);
    const used = await link('use', { token, secret: person.bob.secret, code: codeOf(generator) });
    expect([used.status, used.body.purpose]).toEqual([201, 'code_generator']);
    expect((await bob('GET', 'catalogue')).status).toBe(401);
    expect((await calling(desk.url)('POST', 'sessions', person.bob)).status).toBe(401);
    now += 30_000;
    const code = codeOf(generator);
    expect((await calling(desk.url)('POST', 'sessions', { ...person.bob, code })).status).toBe(201);
    expect(await audited('operator.renew-code')).toMatchObject([
      { actor: 'operator:bob', after: { approvedBy: 'operator:cid' } },
    ]);
    await api.database.query('update operators set totp_secret = null, totp_step = null');
  });
});

/** Makes another operator, admitted by those of before. */
async function operatorsToo(name: string): Promise<Person> {
  const { keyring } = api.services;
  const { operatorId: id, operatorSecret: secret } = await api.database.transaction((tx) =>
    addOperator(tx, keyring, { name, createdBy: 'applicant' }),
  );
  for (const by of ['operator:ida', 'operator:bob'])
    await api.database.transaction((tx) => admitOperator(tx, { id, by, at: new Date() }));
  return { name, secret };
}

describe('sessions', () => {
  it('are listed and ended by who has the permission security, and audited', async () => {
    await api.database.query('update desk_sessions set ended_at = now() where ended_at is null');
    [ida, bob] = [await asOperator(desk.url, person.ida), await asOperator(desk.url, person.bob)];
    const { data } = (await ida('GET', 'lists/sessions')).body;
    const bobs = data.find((each: { name: string }) => each.name === 'bob');
    expect(bobs).toMatchObject({ id: expect.stringMatching(/^ses_/), transport: 'bearer' });
    const told = await decide(ida, 'session.end', { subject: bobs.id, reason: 'his laptop was stolen' });
    expect(told.body.result).toMatchObject({ name: 'bob', status: 'ended' });
    expect((await bob('GET', 'catalogue')).status).toBe(401);
    const late = await decide(ida, 'session.end', { subject: bobs.id, reason: 'again' });
    expect([late.status, late.body.code]).toEqual([409, 'invalid_transition']);
    const story = (await ida('GET', `records/${bobs.id as string}`)).body;
    expect(story).toMatchObject({ what: 'session', status: 'ended', decisions: ['session.end'] });
    expect(JSON.stringify(story)).not.toMatch(/token/i);
    const ids = (await ida('GET', 'lists/sessions')).body.data.map((each: { id: string }) => each.id);
    expect(ids).not.toContain(bobs.id);
    now += 13 * 3_600_000;
    const fresh = await asOperator(desk.url, person.ida);
    expect((await fresh('GET', 'lists/sessions')).body.data).toHaveLength(1);
  });
});

describe('hourly mails', () => {
  const sent: Mail[] = [];
  let failure: Error | undefined;
  const send = (minutes: number) => {
    const mail = {
      configured: true,
      async send(each: Mail) {
        if (failure !== undefined && each.to.startsWith('ida')) throw failure;
        sent.push(each);
      },
    };
    const at = () => new Date(Date.parse('2126-03-01T12:00:00Z') + minutes * 60_000);
    return mailWaiting({ ...api.services, parties: { mail }, now: at }, deskCatalogue(api.services));
  };
  beforeAll(async () => {
    await api.database.query(
      `insert into workflow_commands (workflow, workflow_id, task_queue, action, args, parked_at, last_error, attempts)
       values ('cardClosure', 'cardClosure-1', 'processes', 'start', '[]', now(), 'INVALID_ARGUMENT', 20)`,
    );
  });
  beforeEach(() => {
    sent.length = 0;
    failure = undefined;
  });

  it('are switched on by an operator for himself, and no log and no answer holds the address', async () => {
    const other = await decide(ida, 'operator.mail', { subject: 'bob', input: { address: 'x@example.com' } });
    expect(other.status).toBe(403);
    expect((await decide(ida, 'operator.mail', { subject: 'ida' })).status).toBe(400);
    for (const [ask, name] of [
      [ida, 'ida'],
      [bob, 'bob'],
    ] as const) {
      const input = { address: `${name}@example.com` };
      const { status, text } = await decide(ask, 'operator.mail', { subject: name, input });
      expect([status, text]).toEqual([200, expect.not.stringContaining('@')]);
    }
    const kept = await api.database.query(
      `select (select json_agg(a) from audit_log a)::text || (select json_agg(m) from operator_mails m)::text as all`,
    );
    expect(JSON.stringify(kept)).not.toContain('example.com');
  });

  it('tell each operator once an hour how much waits, by his permissions', async () => {
    expect(await send(1)).toBe(2);
    expect(sent.map(({ to }) => to).sort()).toEqual(['bob@example.com', 'ida@example.com']);
    expect(sent[0]).toMatchObject({ tenantId: null, text: expect.stringContaining('commands: 1') });
    expect(sent[0]?.text).not.toContain('cardClosure');
    expect([await send(59), sent.length]).toEqual([0, 2]);
    const first = sent[0]?.id;
    expect(await send(60)).toBe(2);
    expect(sent[2]?.id).not.toBe(first);
  });

  it('reach the others where one cannot be sent, and are sent again under the same id', async () => {
    failure = new PartyAway('away');
    await expect(send(120)).rejects.toBe(failure);
    expect(sent.map(({ to }) => to)).toEqual(['bob@example.com']);
    failure = undefined;
    expect([await send(121), sent.at(-1)?.to]).toEqual([1, 'ida@example.com']);
    failure = new PartyRefused('mail_refused');
    expect(await send(180)).toBe(1);
    expect(await send(181)).toBe(0);
  });

  it('are not sent to who has switched them off, or is disabled', async () => {
    await decide(ida, 'operator.mail', { subject: 'ida', input: { off: true } });
    await api.database.query(
      `update operators set disabled_at = now(), disabled_by = 'x' where name = 'bob'`,
    );
    expect(await send(240)).toBe(0);
    await pastGuards(api.database, 'update operators set disabled_at = null, disabled_by = null');
  });
});
