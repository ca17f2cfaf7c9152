import { audit } from '../../src/kernel/audit/audit';
import { verifyAudit } from '../../src/kernel/audit/log';
import { type TestDatabase, testDatabase } from '../support/database';
import { masterKeysText } from '../support/keyring';
import { anotherOperator, command } from '../support/operator';

let test: TestDatabase;
beforeEach(async () => {
  test = await testDatabase(12);
});
afterEach(() => test.drop());

const write = (subject: string, after: unknown = { amount: '1.00' }) =>
  test.database.transaction((tx) =>
    audit(tx, {
      caller: { tenantId: 'operator:ida', role: 'admin' },
      requestId: 'r',
      action: 'test',
      subject,
      tenantId: null,
      after,
    }),
  );

/** Changes rows as the owner of the database could. */
const tamper = async (statement: string) => {
  await test.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(statement);
  });
};

const brokenAt = async () => (await verifyAudit(test.database)).broken;

it('refuses updates, deletes and truncates', async () => {
  await write('one');
  for (const table of ['audit_log', 'audit_chain'])
    for (const statement of [`delete from ${table}`, `truncate ${table}`])
      await expect(test.database.query(statement)).rejects.toThrow('only added to');
  await expect(test.database.query(`update audit_log set actor = 'eve'`)).rejects.toThrow('only added to');
  expect(await verifyAudit(test.database)).toMatchObject({ entries: 1 });
});

it('chains concurrent entries in the order of their commits', async () => {
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => write(`s${index}`, { text: 'é\u0000x', n: 1.5 })),
  );
  await test.database
    .transaction(async (tx) => {
      await tx.query(`insert into audit_log (actor, action) values ('a', 'undone')`);
      throw new Error('undone');
    })
    .catch(() => undefined);
  const proof = await verifyAudit(test.database);
  expect(proof).toEqual({ entries: 40, head: { number: 40, hash: expect.stringMatching(/^[0-9a-f]{64}$/) } });
  expect(await verifyAudit(test.database, proof.head)).toEqual(proof);
});

it('causes no deadlock between a transaction that writes first and one that locks first', async () => {
  await test.database.query('create table rows (id int primary key); insert into rows values (1)');
  const lockAfter = () =>
    test.database.transaction(async (tx) => {
      await tx.query(`insert into audit_log (actor, action) values ('a', 'first')`);
      await tx.query('select * from rows for update');
    });
  const lockBefore = () =>
    test.database.transaction(async (tx) => {
      await tx.query('select * from rows for update');
      await tx.query(`insert into audit_log (actor, action) values ('a', 'last')`);
    });
  await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? lockAfter() : lockBefore())));
  expect(await verifyAudit(test.database)).toMatchObject({ entries: 20 });
});

describe('verify finds the first row', () => {
  beforeEach(async () => {
    for (const subject of ['one', 'two', 'three', 'four']) await write(subject);
  });

  it.each([
    ['changed', `update audit_log set after = '{"amount":"9.00"}' where subject = 'two'`, '2', 'content'],
    ['removed', `delete from audit_log where subject = 'three'`, '3', 'no longer in the log'],
    [
      'removed with its link',
      `with gone as (delete from audit_log where subject = 'three' returning id)
       delete from audit_chain where entry_id in (select id from gone)`,
      '4',
      'missing before this entry',
    ],
    ['inserted', `insert into audit_log (actor, action) values ('eve', 'x')`, '5', 'not in the chain'],
    [
      'changed with its hash',
      `with changed as (update audit_log set actor = 'eve' where subject = 'two' returning audit_log.*)
       update audit_chain c set hash = sha256(c.previous || audit_content(x::audit_log)) from changed x where c.entry_id = x.id`,
      '3',
      'does not follow',
    ],
  ])('that was %s', async (_, statement, entryId, why) => {
    expect(await brokenAt()).toBeUndefined();
    await tamper(statement);
    expect(await brokenAt()).toEqual({ entryId, why: expect.stringContaining(why) });
  });

  it('that was removed from the end, by an earlier noted head', async () => {
    const { head } = await verifyAudit(test.database);
    await tamper(`delete from audit_log where id = 4`);
    await tamper(`delete from audit_chain where number = 4`);
    expect(await brokenAt()).toBeUndefined();
    expect((await verifyAudit(test.database, head)).broken?.why).toContain('ends before number 4');
    await write('another');
    expect((await verifyAudit(test.database, head)).broken).toEqual({
      entryId: '5',
      why: 'the chain was rewritten',
    });
  });
});

it('is listed and verified by the command line', async () => {
  const environment = { DATABASE_URL: test.url, MASTER_KEYS: masterKeysText() };
  const ida = await anotherOperator(environment, 'ida');
  await write('acc_1');
  await write('acc_2');
  const listed = await command(ida, 'audit', 'list', '--subject', 'acc_2', '--json');
  expect(JSON.parse(listed.out)).toMatchObject([{ actor: 'operator:ida', subject: 'acc_2' }]);
  const byActor = await command(ida, 'audit', 'list', '--actor', 'operator:ida', '--json');
  const [newest, ...older] = JSON.parse(byActor.out) as { number: string; subject: string }[];
  expect(older.map(({ subject }) => subject)).toEqual(expect.arrayContaining(['acc_2', 'acc_1']));
  const page = await command(ida, 'audit', 'list', '--limit', '1');
  const [, after = ''] = /--after (\S+)/.exec(page.err) ?? [];
  const next = JSON.parse((await command(ida, 'audit', 'list', '--after', after, '--json')).out);
  expect(Number(next[0].number)).toBeGreaterThanOrEqual(Number(newest?.number));
  const right = await command(environment, 'audit', 'verify');
  expect([right.code, right.out]).toEqual([0, expect.stringMatching(/^\d+ rows are .* \d+:[0-9a-f]{64}$/)]);
  await tamper(`update audit_log set action = 'nothing' where subject = 'acc_1'`);
  const wrong = await command(environment, 'audit', 'verify');
  expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('row 2')]);
});
