/** @long */
import { lockOperators } from '../../src/desk/operators/store';
import { type TestDatabase, testDatabase } from '../support/database';
import { masterKeysText } from '../support/keyring';
import { anotherOperator, applied, command } from '../support/operator';
import { until } from '../support/until';

let test: TestDatabase;
let nobody: Record<string, string>;
beforeEach(async () => {
  test = await testDatabase(4);
  nobody = { DATABASE_URL: test.runtimeUrl, MASTER_KEYS: masterKeysText() };
});
afterEach(() => test.drop());

const CREATE = ['client', 'create', '--name', 'Acme'];
const audited = () =>
  test.database.query<{ actor: string; action: string; subject: string; after: unknown }>(
    `select actor, action, subject, after from audit_log where action not like 'session.%' order by id`,
  );

it('creates the first operator once, without a secret, and audits it', async () => {
  const refused = await command(nobody, ...CREATE);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Sign in first')]);
  const made = await command(nobody, 'operator', 'add', '--name', 'Ida', '--json');
  const { operatorId, operatorSecret, ...rest } = JSON.parse(made.out) as Record<string, string>;
  expect([made.code, rest]).toEqual([0, { name: 'Ida' }]);
  expect(Buffer.from(operatorSecret ?? '', 'base64url')).toHaveLength(32);
  expect(await audited()).toEqual([
    { actor: 'installation', action: 'operator.add', subject: operatorId, after: { name: 'Ida' } },
  ]);
  const again = await command(nobody, 'operator', 'add', '--name', 'Ida');
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('has or had')]);
  const kept = JSON.stringify(await test.database.query('select * from operators'));
  expect(kept).not.toContain(operatorSecret);
});

it('creates one first operator when several requests arrive together', async () => {
  const asked = ['a', 'b', 'c', 'd'].map((name) => command(nobody, 'operator', 'add', '--name', name));
  await Promise.all(asked);
  expect(await test.database.query(`select 1 from operators where created_by = 'installation'`)).toHaveLength(
    1,
  );
});

it('identifies the operator only by the secret', async () => {
  const ida = await anotherOperator(nobody, 'ida');
  const bob = await anotherOperator(ida, 'bob');
  expect((await command({ ...bob, USER: 'ida', LOGNAME: 'ida' }, ...CREATE)).code).toBe(0);
  const decided = (await audited()).filter(({ action }) => !action.startsWith('session.'));
  expect(decided.map(({ actor, action }) => [actor, action])).toEqual([
    ['installation', 'operator.add'],
    ['applicant', 'operator.add'],
    ['operator:ida', 'operator.admit'],
    ['operator:bob', 'client.create'],
  ]);
  expect((await command(ida, 'operator', 'list')).out).toMatch(/bob\s+applicant .* by operator:ida/);
});

describe('a new operator', () => {
  let ida: Record<string, string>;
  let bob: Record<string, string>;
  let eve: { id: string; secret: string };
  let asEve: Record<string, string>;
  beforeEach(async () => {
    ida = await anotherOperator(nobody, 'ida');
    bob = await anotherOperator(ida, 'bob');
    eve = await applied(nobody, 'eve');
    asEve = { ...nobody, OPERATOR_NAME: 'eve', OPERATOR_SECRET: eve.secret };
  });
  const admit = async (who: Record<string, string>, id = eve.id) => {
    const { code, out, err } = await command(who, 'operator', 'admit', id);
    return `${code} ${out || err}`;
  };
  const mayDecide = async (who: Record<string, string>) =>
    (await command(who, 'operator', 'list')).code === 0;
  const FIRST = /^0 opr_\w+ is admitted by one operator, and waits for another\.$/;
  const SECOND = /^0 opr_\w+ is admitted\.$/;

  it('decides nothing until two other operators have admitted them', async () => {
    const refused = await command(asEve, 'operator', 'list');
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('has not been admitted')]);
    expect(await admit(asEve)).toContain('4 eve has not been admitted');
    expect(await admit(ida)).toMatch(FIRST);
    expect(await admit(ida)).toContain('4 You have admitted eve');
    expect(await mayDecide(asEve)).toBe(false);
    expect((await command(ida, 'operator', 'list')).out).toMatch(/eve .*waits, by operator:ida/);
    expect(await admit(bob)).toMatch(SECOND);
    expect(await mayDecide(asEve)).toBe(true);
    expect((await command(ida, 'operator', 'list')).out).toMatch(/eve .*by operator:ida and operator:bob/);
    expect(await admit(bob)).toContain('4 eve was admitted before');
    const admissions = (await audited()).filter(({ action }) => action === 'operator.admit').slice(-2);
    expect(admissions).toMatchObject([
      { actor: 'operator:ida', subject: eve.id, after: { name: 'eve', admittedBy: null } },
      {
        actor: 'operator:bob',
        subject: eve.id,
        after: { proposedBy: 'operator:ida', admittedBy: 'operator:bob' },
      },
    ]);
  });

  it('invited by an operator gets a link for a browser', async () => {
    const invited = await command(ida, 'operator', 'invite', '--name', 'gil', '--permissions', 'view');
    const [, token, link = ''] = /^token +(\S+)\nlink +(\S+)$/m.exec(invited.out) ?? [];
    expect(link).toMatch(new RegExp(`^http://[\\w.]+:\\d+/join#${token}$`));
  });

  it('created by an operator cannot serve as that operator’s second person', async () => {
    const made = await command(ida, 'operator', 'add', '--name', 'puppet', '--json');
    const { operatorId, operatorSecret } = JSON.parse(made.out) as Record<string, string>;
    const puppet = { ...nobody, OPERATOR_NAME: 'puppet', OPERATOR_SECRET: operatorSecret ?? '' };
    expect(await admit(ida, operatorId)).toContain('4 You have invited puppet');
    for (const who of [ida, puppet, asEve, ida]) await admit(who, operatorId);
    expect(await mayDecide(puppet)).toBe(false);
    expect((await command(ida, 'operator', 'list')).out).toMatch(
      /puppet\s+operator:ida .*waits, by operator:ida/,
    );
  });

  it('is admitted by id, because another applicant may use the same name', async () => {
    expect(await admit(ida, 'eve')).toContain('3 ');
    expect(await admit(ida, 'opr_none')).toContain('3 ');
  });

  it('needs two admissions of operators who may decide at the time of the second', async () => {
    await admit(bob);
    await command(ida, 'operator', 'disable', 'bob', '--reason', 'has left');
    expect(await admit(ida)).toMatch(SECOND); // a single operator admits alone
    const dan = await applied(nobody, 'dan');
    await admit(asEve, dan.id);
    const fay = await applied(nobody, 'fay');
    await admit(ida, dan.id);
    await admit(asEve, fay.id);
    await command(ida, 'operator', 'disable', 'eve', '--reason', 'has left');
    const asDan = { ...nobody, OPERATOR_NAME: 'dan', OPERATOR_SECRET: dan.secret };
    expect(await admit(asDan, fay.id)).toMatch(FIRST);
    expect(await admit(ida, fay.id)).toMatch(SECOND);
  });

  it('may get both admissions from one operator who has become the only one', async () => {
    await admit(ida);
    await command(ida, 'operator', 'disable', 'bob', '--reason', 'has left');
    expect(await admit(ida)).toMatch(SECOND);
    expect((await command(ida, 'operator', 'list')).out).toMatch(
      /eve\s+applicant .* by operator:ida(?! and)/,
    );
    expect(await mayDecide(asEve)).toBe(true);
  });

  it('is admitted once by two operators when several admissions arrive together', async () => {
    const told = await Promise.all([ida, ida, bob, bob].map((who) => admit(who)));
    expect(told.filter((each) => SECOND.test(each))).toHaveLength(1);
    expect(told.filter((each) => FIRST.test(each))).toHaveLength(1);
  });

  it('may be disabled before admission, and does not count as the last operator', async () => {
    await command(ida, 'operator', 'disable', 'bob', '--reason', 'has left');
    const last = await command(ida, 'operator', 'disable', 'ida', '--reason', 'x');
    expect([last.code, last.err]).toEqual([4, expect.stringContaining('last')]);
    expect((await command(ida, 'operator', 'disable', 'eve', '--reason', 'x')).code).toBe(0);
    expect(await admit(ida)).toContain('4 eve has been disabled');
  });
});

it('shows and decides nothing with a missing or wrong secret', async () => {
  await anotherOperator(nobody, 'ida');
  for (const [secret, why] of [
    [undefined, 'Sign in first'],
    ['wrong', 'wrong'],
  ]) {
    const environment =
      secret === undefined ? nobody : { ...nobody, OPERATOR_NAME: 'ida', OPERATOR_SECRET: secret };
    expect((await command(environment, 'client', 'list')).code).toBe(1);
    const refused = await command(environment, ...CREATE);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(why ?? '')]);
  }
  expect(await test.database.query('select 1 from tenants')).toEqual([]);
});

it('disables an operator at once and for ever, but never the last', async () => {
  const ida = await anotherOperator(nobody, 'ida');
  const bob = await anotherOperator(ida, 'bob');
  expect((await command(ida, 'operator', 'disable', 'bob')).code).toBe(2); // without a reason
  const disabled = await command(ida, 'operator', 'disable', 'BOB', '--reason', 'has left');
  expect([disabled.code, disabled.out]).toEqual([0, 'BOB is disabled.']);
  const refused = await command(bob, ...CREATE);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is wrong or missing')]);
  for (const [named, code, why] of [
    ['bob', 4, 'before'],
    ['ida', 4, 'last'],
    ['nobody', 3, 'not found'],
  ] as const) {
    const answer = await command(ida, 'operator', 'disable', named, '--reason', 'x');
    expect([answer.code, answer.err]).toEqual([code, expect.stringContaining(why)]);
  }
  // A name is never used again.
  expect((await command(ida, 'operator', 'add', '--name', 'Bob')).err).toContain('has or had');
  expect((await command(ida, 'operator', 'list')).out).toMatch(/bob .*has left/);
});

it.each([
  ['disable', 'ida', '--reason', 'x'],
  ['admit', 'eve'],
])(
  'waits for a concurrent change of operators before it locks its own row: %s',
  async (verb, named, ...more) => {
    const ida = await anotherOperator(nobody, 'ida');
    const bob = await anotherOperator(ida, 'bob');
    const eve = await applied(nobody, 'eve');
    let asked: Promise<{ code: number }> | undefined;
    await test.database.transaction(async (tx) => {
      await lockOperators(tx);
      asked = command(bob, 'operator', verb, named === 'eve' ? eve.id : named, ...more);
      const waits = `select from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
      await until(async () => (await test.database.query(waits)).length > 0);
      // Fails unless the waiting command has left bob's row unlocked.
      await tx.query(`select from operators where name = 'bob' for update nowait`);
    });
    expect(await asked).toMatchObject({ code: 0 });
  },
);

it('leaves one operator when two disable each other at once', async () => {
  const ida = await anotherOperator(nobody, 'ida');
  const bob = await anotherOperator(ida, 'bob');
  await Promise.all([
    command(ida, 'operator', 'disable', 'bob', '--reason', 'x'),
    command(ida, 'operator', 'disable', 'ida', '--reason', 'x'),
    command(bob, 'operator', 'disable', 'bob', '--reason', 'x'),
    command(bob, 'operator', 'disable', 'ida', '--reason', 'x'),
  ]);
  expect(await test.database.query('select 1 from operators where disabled_at is null')).toHaveLength(1);
});
