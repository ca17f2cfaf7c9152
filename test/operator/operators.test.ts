import { randomBytes } from 'node:crypto';
import { type TestDatabase, testDatabase } from '../support/database';
import { anotherOperator, command } from '../support/operator';

let test: TestDatabase;
let nobody: Record<string, string>;
beforeEach(async () => {
  test = await testDatabase(4);
  nobody = { DATABASE_URL: test.url, MASTER_KEY: randomBytes(32).toString('base64') };
});
afterEach(() => test.drop());

const CREATE = ['client', 'create', '--name', 'Acme'];
const audited = () =>
  test.database.query<{ actor: string; action: string; subject: string; after: unknown }>(
    'select actor, action, subject, after from audit_log order by id',
  );

it('makes the first operator without a secret, once, and writes it down', async () => {
  const refused = await command(nobody, ...CREATE);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('operator add --name')]);
  const made = await command(nobody, 'operator', 'add', '--name', 'Ida', '--json');
  const { operatorId, operatorSecret, ...rest } = JSON.parse(made.out) as Record<string, string>;
  expect([made.code, rest]).toEqual([0, { name: 'Ida' }]);
  expect(Buffer.from(operatorSecret ?? '', 'base64url')).toHaveLength(32);
  expect(await audited()).toEqual([
    { actor: 'installation', action: 'operator.add', subject: operatorId, after: { name: 'Ida' } },
  ]);
  const again = await command(nobody, 'operator', 'add', '--name', 'Eve');
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('OPERATOR_SECRET')]);
  const kept = JSON.stringify(await test.database.query('select * from operators'));
  expect(kept).not.toContain(operatorSecret);
});

it('makes one first operator, however many ask at once', async () => {
  const asked = ['a', 'b', 'c', 'd'].map((name) => command(nobody, 'operator', 'add', '--name', name));
  const codes = (await Promise.all(asked)).map(({ code }) => code);
  expect(codes.filter((code) => code === 0)).toHaveLength(1);
  expect(await test.database.query('select 1 from operators')).toHaveLength(1);
});

it('names who decided by the secret, and by nothing else', async () => {
  const ida = await anotherOperator(nobody, 'ida');
  const bob = await anotherOperator(ida, 'bob');
  expect((await command({ ...bob, USER: 'ida', LOGNAME: 'ida' }, ...CREATE)).code).toBe(0);
  expect((await audited()).map(({ actor, action }) => [actor, action])).toEqual([
    ['installation', 'operator.add'],
    ['operator:ida', 'operator.add'],
    ['operator:bob', 'client.create'],
  ]);
  expect((await command(ida, 'operator', 'list')).out).toMatch(/bob\s+operator:ida/);
});

it('reads without an operator, and decides with none that is wrong', async () => {
  await anotherOperator(nobody, 'ida');
  for (const [secret, why] of [
    [undefined, 'OPERATOR_SECRET'],
    ['wrong', 'no operator’s'],
  ]) {
    const environment = secret === undefined ? nobody : { ...nobody, OPERATOR_SECRET: secret };
    expect((await command(environment, 'client', 'list')).code).toBe(0);
    const refused = await command(environment, ...CREATE);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(why ?? '')]);
  }
  expect(await test.database.query('select 1 from tenants')).toEqual([]);
});

it('disables one at once, for ever, and never the last', async () => {
  const ida = await anotherOperator(nobody, 'ida');
  const bob = await anotherOperator(ida, 'bob');
  expect((await command(ida, 'operator', 'disable', 'bob')).code).toBe(2); // without a reason
  const disabled = await command(ida, 'operator', 'disable', 'BOB', '--reason', 'has left');
  expect([disabled.code, disabled.out]).toEqual([0, 'bob is disabled.']);
  const refused = await command(bob, ...CREATE);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('bob has been disabled')]);
  for (const [named, code, why] of [
    ['bob', 4, 'before'],
    ['ida', 4, 'last'],
    ['nobody', 3, 'not found'],
  ] as const) {
    const answer = await command(ida, 'operator', 'disable', named, '--reason', 'x');
    expect([answer.code, answer.err]).toEqual([code, expect.stringContaining(why)]);
  }
  // A name is never given away again.
  expect((await command(ida, 'operator', 'add', '--name', 'Bob')).err).toContain('has or had');
  expect((await command(ida, 'operator', 'list')).out).toMatch(/bob .*has left/);
});

it('leaves one where two disable themselves at once', async () => {
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
