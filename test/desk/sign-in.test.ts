import { TOTP, URI } from 'otpauth';
import { addressOf, newCodeGenerator } from '../../src/desk/operators/code-generator';
import { addressList } from '../../src/kernel/security/address-lists';
import { type TestApi, testApi } from '../support/api';
import { pastGuards } from '../support/database';
import { type TestDesk, testDesk } from '../support/desk';
import { asOperator, calling, operators, type Person } from './support';

let api: TestApi;
let desk: TestDesk;
let live: TestDesk;
let ida: Person;
let bob: Person;
// Postgres ends sessions and links by the machine's time, so the desk's clock is ahead of it.
let now: number;
const clock = () => new Date(now);
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services, { clock });
  live = await testDesk({ ...api.services, mode: 'live' }, { clock });
  [ida, bob] = (await operators(api, 'ida', 'bob')) as [Person, Person];
});
beforeEach(async () => {
  now = Date.parse('2126-03-01T12:00:00Z');
  await api.database.query('delete from sign_in_failures');
});
afterAll(async () => {
  await desk.close();
  await live.close();
  await api.close();
});

const signIn = (given: object, url = desk.url) => calling(url)('POST', 'sessions', given);
const audited = (action: string) =>
  api.database.query<{ actor: string; subject: string; after: object }>(
    'select actor, subject, after from audit_log where action = $1 order by id',
    [action],
  );

describe('a session', () => {
  it('begins with name and secret in the sandbox, and is audited', async () => {
    const { status, body } = await signIn(ida);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^ses_/),
      name: 'ida',
      permissions: ['view', 'review', 'money', 'chain', 'security'],
      token: expect.stringMatching(/^[\w-]{43}$/),
    });
    const [stored] = await api.database.query<{ token_hash: Buffer }>(
      'select token_hash from desk_sessions where id = $1',
      [body.id],
    );
    expect(stored?.token_hash.toString('base64url')).not.toBe(body.token);
    expect((await audited('session.begin')).at(-1)).toMatchObject({
      actor: 'operator:ida',
      subject: body.id,
    });
  });

  it('does not say which part was wrong, and stores no name that nobody has', async () => {
    const wrong = [
      { ...ida, secret: bob.secret },
      { ...ida, name: 'nobody' },
      { ...ida, secret: 'x' },
    ];
    const told = await Promise.all(wrong.map((each) => signIn(each)));
    for (const { status, body } of told)
      expect([status, body.code, body.message]).toEqual([401, 'unauthorized', told[0]?.body.message]);
    expect(await audited('session.refuse')).toContainEqual({
      actor: 'desk',
      subject: expect.stringMatching(/^unknown:[0-9a-f]{16}$/),
      after: { address: expect.stringContaining('127.0.0.1'), failures: 1 },
    });
    const rows = await api.database.query<{ name: string }>('select name from sign_in_failures');
    expect(rows.map(({ name }) => name)).not.toContain('nobody');
  });

  it('ends after 30 minutes of rest, and after 12 hours', async () => {
    const ask = await asOperator(desk.url, ida);
    for (let hours = 0; hours < 12; hours += 0.4) {
      expect((await ask('GET', 'catalogue')).status).toBe(200);
      now += 0.4 * 3_600_000;
    }
    expect((await ask('GET', 'catalogue')).status).toBe(401);
    const rested = await asOperator(desk.url, ida);
    now += 30 * 60_000;
    expect((await rested('GET', 'catalogue')).body).toMatchObject({ code: 'unauthorized' });
  });

  it('ends when its operator signs out or is disabled, and never without a token', async () => {
    const ask = await asOperator(desk.url, ida);
    expect((await ask('DELETE', 'sessions/current')).status).toBe(204);
    expect((await ask('GET', 'catalogue')).status).toBe(401);
    const other = await asOperator(desk.url, bob);
    await api.database.query(
      `update operators set disabled_at = now(), disabled_by = 'x' where name = 'bob'`,
    );
    expect((await other('GET', 'catalogue')).status).toBe(401);
    expect((await signIn(bob)).status).toBe(401);
    await pastGuards(api.database, 'update operators set disabled_at = null, disabled_by = null');
    for (const authorization of ['', 'Bearer x', `Basic ${ida.secret}`])
      expect((await calling(desk.url, { authorization })('GET', 'catalogue')).status).toBe(401);
  });

  it('of an operator who is not admitted is 403', async () => {
    await pastGuards(
      api.database,
      `update operators set admitted_by = null, admitted_at = null, proposed_by = null where name = 'bob'`,
    );
    const { status, body } = await signIn(bob);
    expect([status, body.message]).toEqual([403, expect.stringContaining('has not been admitted')]);
    await api.database.query(
      `update operators set admitted_by = 'operator:ida', admitted_at = now() where name = 'bob'`,
    );
  });

  it('of a browser travels in an HTTP-only cookie, and changes nothing without the CSRF token', async () => {
    const { body, headers } = await signIn({ ...ida, transport: 'cookie' });
    expect(body).toMatchObject({ csrfToken: expect.any(String) });
    expect(body.token).toBeUndefined();
    const cookie = String(headers['set-cookie']);
    expect(cookie).toMatch(/^cardwright_desk=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    const browser = calling(desk.url, { cookie: cookie.split(';')[0] ?? '' });
    expect((await browser('GET', 'catalogue')).status).toBe(200);
    for (const csrf of [{}, { 'x-csrf-token': 'x' }] as Record<string, string>[])
      expect((await browser('DELETE', 'sessions/current', undefined, csrf)).status).toBe(403);
    const bearer = calling(desk.url, { authorization: `Bearer ${/=([\w-]+);/.exec(cookie)?.[1]}` });
    expect((await bearer('GET', 'catalogue')).status).toBe(401);
    const csrf = { 'x-csrf-token': body.csrfToken };
    expect((await browser('DELETE', 'sessions/current', undefined, csrf)).status).toBe(204);
    expect((await browser('GET', 'catalogue')).status).toBe(401);
  });
});

describe('failures', () => {
  it('slow a name down after five in a row, for the address that failed', async () => {
    const wrong = { ...ida, secret: 'wrong' };
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await signIn(wrong)).status).toBe(401);
    const waits = await signIn(ida);
    expect([waits.status, waits.headers['retry-after']]).toEqual([429, '1']);
    now += 1_000;
    expect((await signIn(wrong)).status).toBe(401);
    expect((await signIn(ida)).headers['retry-after']).toBe('2');
    expect((await signIn(bob)).status).toBe(201);
    now += 2_000;
    expect((await signIn(ida)).status).toBe(201);
    expect((await signIn(wrong)).status).toBe(401);
    expect((await signIn(ida)).status).toBe(201);
  });

  it('lock a name for the address that failed, where the installation says so', async () => {
    const lock = { failures: 10, milliseconds: 30 * 60_000 };
    const strict = await testDesk(api.services, { clock, signInRules: { restMs: 15 * 60_000, lock } });
    try {
      const wrong = { ...ida, secret: 'wrong' };
      for (let attempt = 0; attempt < 10; attempt += 1) {
        expect((await signIn(wrong, strict.url)).status).toBe(401);
        now += attempt < 9 ? 16_000 : 0;
      }
      expect((await signIn(ida, strict.url)).headers['retry-after']).toBe('1800');
      // Another address has no failures, so the operator still signs in from there.
      const elsewhere = await testDesk(api.services, { clock, trustedProxies: addressList(['127.0.0.0/8']) });
      const forwarded = calling(elsewhere.url, { 'x-forwarded-for': '198.51.100.7' });
      expect((await forwarded('POST', 'sessions', ida)).status).toBe(201);
      await elsewhere.close();
      now += 30 * 60_000 - 1;
      expect((await signIn(ida, strict.url)).status).toBe(429);
      now += 1;
      const { body } = await signIn(ida, strict.url);
      const asIda = calling(strict.url, { authorization: `Bearer ${body.token}` });
      now += 15 * 60_000 - 1;
      expect((await asIda('GET', 'catalogue')).status).toBe(200);
      now += 15 * 60_000;
      expect((await asIda('GET', 'catalogue')).status).toBe(401);
    } finally {
      await strict.close();
    }
  });

  it('of concurrent guesses are counted one by one', async () => {
    const told = await Promise.all(Array.from({ length: 12 }, () => signIn({ ...bob, secret: 'guess' })));
    expect(told.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(told.filter(({ status }) => status === 429)).toHaveLength(7);
  });
});

describe('one-time codes', () => {
  it('are demanded in live, and of whoever has a generator; a code works once', async () => {
    const refused = await signIn(ida, live.url);
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('code generator')]);
    const [row] = await api.database.query<{ id: string }>(`select id from operators where name = 'ida'`);
    const id = row?.id ?? '';
    const { keyring } = api.services;
    const sealed = newCodeGenerator(keyring, id);
    await api.database.query('update operators set totp_secret = $2, totp_step = null where id = $1', [
      id,
      sealed,
    ]);
    const address = addressOf(keyring, { id, name: 'ida' }, sealed);
    const generator = URI.parse(address) as TOTP;
    const code = (at = now) => generator.generate({ timestamp: at });
    for (const url of [desk.url, live.url]) expect((await signIn(ida, url)).status).toBe(401);
    expect((await signIn({ ...ida, code: '12345' }, live.url)).status).toBe(401);
    expect((await signIn({ ...ida, code: code(now - 120_000) }, live.url)).status).toBe(401);
    await api.database.query('delete from sign_in_failures');
    const secure = await signIn({ ...ida, code: code(), transport: 'cookie' }, live.url);
    expect([secure.status, String(secure.headers['set-cookie'])]).toEqual([
      201,
      expect.stringContaining('; Secure'),
    ]);
    expect((await signIn({ ...ida, code: code() }, live.url)).status).toBe(401);
    expect((await signIn({ ...ida, code: code(now - 30_000) }, live.url)).status).toBe(401);
    now += 30_000;
    const both = await Promise.all([1, 2].map(() => signIn({ ...ida, code: code() }, live.url)));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
    await api.database.query('update operators set totp_secret = null, totp_step = null');
  });
});
