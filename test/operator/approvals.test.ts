/** @long */
import { checkLedger } from '../../src/kernel/ledger/check';
import { accountBalance } from '../cards/cards/support';
import { type Client, type TestApi, testApi } from '../support/api';
import { masterAccount } from '../support/cards';
import { anotherOperator, command, dayGoesBy, operatorEnvironment, setAdminLimit } from '../support/operator';

let api: TestApi;
let client: Client;
let account: string;
let ida: Record<string, string>;
let bob: Record<string, string>;
beforeAll(async () => {
  api = await testApi();
  ida = await operatorEnvironment(api.database, 'ida');
  bob = await anotherOperator(ida, 'bob');
});
beforeEach(async () => {
  client = await api.client();
  account = await masterAccount(client);
  await setAdminLimit(api.database, '1000');
  await dayGoesBy(api.database);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const REASON = ['--reason', 'the slip of 3 May'];
const correct = (who: Record<string, string>, verb: string, amount: string, ...more: string[]) =>
  command(who, 'account', verb, account, '--amount', amount, ...REASON, ...more);

async function asked(verb = 'deposit', amount = '1000.01'): Promise<string> {
  const { code, out } = await correct(ida, verb, amount, '--json');
  expect(code).toBe(0);
  return (JSON.parse(out) as { approval: { id: string } }).approval.id;
}

const audited = (subject: string) =>
  api.database.query('select actor, action from audit_log where subject = $1 order by id', [subject]);

it('books an amount within the limit at once', async () => {
  const done = await correct(ida, 'deposit', '1000.00', '--json');
  expect(JSON.parse(done.out)).toMatchObject({
    accountId: account,
    subtype: 'admin_deposit',
    balanceAfter: '1000.00',
  });
  await dayGoesBy(api.database);
  expect((await correct(ida, 'withdraw', '400')).out).toContain(`${account}: done.`);
  expect(await accountBalance(client, account)).toBe('600.00 0.00');
  expect(await audited(account)).toEqual([
    { actor: 'operator:ida', action: 'account.deposit' },
    { actor: 'operator:ida', action: 'account.withdraw' },
  ]);
});

it('books an amount above the limit when another operator approves it', async () => {
  const id = await asked();
  expect(await accountBalance(client, account)).toBe('0.00 0.00');
  expect((await command(ida, 'approval', 'list')).out).toMatch(
    new RegExp(`${id}\\s+account.deposit\\s+${account}\\s+${client.clientId}\\s+1000.01 USD.*operator:ida`),
  );
  const own = await command(ida, 'approval', 'approve', id);
  expect([own.code, own.err]).toEqual([4, expect.stringContaining('another operator')]);
  const approved = await command(bob, 'approval', 'approve', id, '--json');
  expect(JSON.parse(approved.out)).toMatchObject({
    approval: { id, status: 'approved', requestedBy: 'operator:ida', decidedBy: 'operator:bob' },
    result: { accountId: account, amount: '1000.01' },
  });
  expect(await accountBalance(client, account)).toBe('1000.01 0.00');
  for (const verb of ['approve', 'reject']) {
    const again = await command(bob, 'approval', verb, id, ...REASON);
    expect([again.code, again.err]).toEqual([4, expect.stringContaining('approved already')]);
  }
  expect(await audited(id)).toEqual([
    { actor: 'operator:ida', action: 'approval.ask' },
    { actor: 'operator:bob', action: 'approval.approve' },
  ]);
  expect(await audited(account)).toEqual([{ actor: 'operator:bob', action: 'account.deposit' }]);
  const all = await command(ida, 'approval', 'list', '--all', '--json');
  expect((JSON.parse(all.out) as { id: string }[]).map((each) => each.id)).toContain(id);
  expect((await command(ida, 'approval', 'list')).out).not.toContain(id);
});

it('can be rejected, or withdrawn by the requester', async () => {
  const [one, two] = [await asked(), await asked()];
  expect((await command(bob, 'approval', 'reject', one)).code).toBe(2); // without a reason
  expect((await command(bob, 'approval', 'reject', one, ...REASON)).out).toBe(`${one} is rejected.`);
  expect((await command(ida, 'approval', 'reject', two, ...REASON)).code).toBe(0);
  expect((await command(bob, 'approval', 'approve', one)).code).toBe(4);
  expect(await accountBalance(client, account)).toBe('0.00 0.00');
});

it('is executed once when several approvals arrive together', async () => {
  const id = await asked();
  const ann = await anotherOperator(ida, `ann-${id}`);
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, index) => command(index % 2 ? bob : ann, 'approval', 'approve', id)),
  );
  expect(all.filter(({ code }) => code === 0)).toHaveLength(1);
  expect(await accountBalance(client, account)).toBe('1000.01 0.00');
});

it('does not execute a request of an operator who was disabled meanwhile', async () => {
  const eve = await anotherOperator(ida, 'eve');
  const told = await correct(eve, 'deposit', '1000.01', '--json');
  const { approval } = JSON.parse(told.out) as { approval: { id: string } };
  await command(ida, 'operator', 'disable', 'eve', '--reason', 'has left');
  const refused = await command(bob, 'approval', 'approve', approval.id);
  expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('eve has been disabled since')]);
  expect(await accountBalance(client, account)).toBe('0.00 0.00');
  expect((await command(bob, 'approval', 'reject', approval.id, ...REASON)).code).toBe(0);
});

it('applies the rules at the approval: a refused request still waits', async () => {
  for (let day = 0; day < 2; day += 1) {
    await correct(ida, 'deposit', '1000.00');
    await dayGoesBy(api.database);
  }
  const id = await asked('withdraw', '1500.00');
  await correct(ida, 'withdraw', '900.00');
  await dayGoesBy(api.database);
  const refused = await command(bob, 'approval', 'approve', id);
  expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('does not cover')]);
  await correct(ida, 'deposit', '400.00');
  expect((await command(bob, 'approval', 'approve', id)).code).toBe(0);
  expect(await accountBalance(client, account)).toBe('0.00 0.00');
});

it('creates no approval for a request that would be refused now', async () => {
  for (const [argv, exit, why] of [
    [['account', 'deposit', 'acc_none', '--amount', '5000', ...REASON], 3, 'account'],
    [['account', 'deposit', account, '--amount', '5000.001', ...REASON], 2, 'decimals'],
    [['account', 'deposit', account, '--amount', '0', ...REASON], 2, 'amount'],
    [['account', 'deposit', account, '--amount', '5000'], 2, '--reason'],
    [['approval', 'approve', 'apr_none'], 3, 'not found'],
  ] as const) {
    const { code, err } = await command(bob, ...argv);
    expect([code, err]).toEqual([exit, expect.stringContaining(why)]);
  }
  await api.database.query(`update accounts set status = 'closed' where id = $1`, [account]);
  expect((await correct(ida, 'deposit', '5000')).err).toContain('closed');
});

/** Returns whether the command was executed or needs an approval. */
const outcome = async (told: ReturnType<typeof command>) => {
  const { out, err } = await told;
  return /takes two/.test(out) ? 'asked' : err || 'done';
};
const anotherAccount = async () => masterAccount(await api.client());

describe('the limit of the installation', () => {
  it('applies, not the limit in the operator’s environment', async () => {
    const more = { ADMIN_LIMIT: '5000' };
    expect(await outcome(correct({ ...ida, ...more }, 'deposit', '1000.01'))).toBe('asked');
    await setAdminLimit(api.database, '5000');
    expect(await outcome(correct({ ...ida, ADMIN_LIMIT: '1' }, 'deposit', '1000.01'))).toBe('done');
  });

  it('requires two operators for everything while none is stored', async () => {
    await api.database.query(`delete from installation_settings`);
    expect(await outcome(correct(ida, 'deposit', '0.01'))).toBe('asked');
    const admin = await api.client('admin');
    const body = { accountId: account, amount: '0.01', reason: 'test' };
    const answer = await admin.call('POST', '/v1/accounts/admin-deposit', body);
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_exceeded']);
  });

  it('is in the audit log beside each decision', async () => {
    const limits = async (subject: string) =>
      (
        await api.database.query<{ limit: string }>(
          `select after->>'limit' as limit from audit_log where subject = $1 order by id`,
          [subject],
        )
      ).map(({ limit }) => limit);
    await correct(ida, 'deposit', '10.00');
    const id = await asked();
    await setAdminLimit(api.database, '200');
    await command(bob, 'approval', 'approve', id);
    await setAdminLimit(api.database, '3000');
    const admin = await api.client('admin');
    await admin.call('POST', '/v1/accounts/admin-deposit', {
      accountId: account,
      amount: '1',
      reason: 'test',
    });
    expect(await limits(id)).toEqual(['1000', '200']);
    expect(await limits(account)).toEqual(['1000', '200', '3000']);
  });

  it('is stored by processes, and its changes are in the audit log', async () => {
    const changes = () =>
      api.database.query(
        `select actor, before, after from audit_log where action = 'installation.admin-limit' order by id desc limit 2`,
      );
    await setAdminLimit(api.database, '1000.00'); // the same
    await setAdminLimit(api.database, undefined); // a process without a setting keeps the stored limit
    await setAdminLimit(api.database, '2000');
    await setAdminLimit(api.database, '1500');
    expect(await changes()).toEqual([
      { actor: 'installation', before: { limit: '2000' }, after: { limit: '1500' } },
      { actor: 'installation', before: { limit: '1000' }, after: { limit: '2000' } },
    ]);
    await api.database.query(`delete from installation_settings`);
    await Promise.all(Array.from({ length: 6 }, () => setAdminLimit(api.database, undefined)));
    expect((await changes())[0]).toEqual({
      actor: 'installation',
      before: null,
      after: { limit: '1000000' },
    });
  });
});

describe('the limit applies to the sum', () => {
  it('of a tenant’s day, for all operators together', async () => {
    expect(await outcome(correct(ida, 'deposit', '600'))).toBe('done');
    expect(await outcome(correct(bob, 'withdraw', '400'))).toBe('done');
    const { out } = await correct(bob, 'deposit', '0.01');
    expect(out).toMatch(/^0.01 USD takes two.*1000.01 USD.*limit is 1000/);
    expect(await outcome(correct(ida, 'deposit', '0.01'))).toBe('asked');
    await dayGoesBy(api.database);
    expect(await outcome(correct(ida, 'deposit', '1000'))).toBe('done');
  });

  it('of an operator’s day, for all accounts together', async () => {
    const deposit = async (who: Record<string, string>, amount: string) =>
      outcome(command(who, 'account', 'deposit', await anotherAccount(), '--amount', amount, ...REASON));
    expect(await deposit(ida, '900')).toBe('done');
    expect(await deposit(ida, '100.01')).toBe('asked');
    expect(await deposit(ida, '100')).toBe('done');
    expect(await deposit(bob, '900')).toBe('done');
  });

  it('without decisions made by two operators', async () => {
    expect((await command(bob, 'approval', 'approve', await asked('deposit', '5000'))).code).toBe(0);
    expect(await outcome(correct(ida, 'deposit', '1000'))).toBe('done');
  });

  it('without refused requests', async () => {
    expect((await correct(ida, 'withdraw', '1000')).err).toContain('does not cover');
    expect(await outcome(correct(ida, 'deposit', '1000'))).toBe('done');
  });

  it('also when many decisions arrive together', async () => {
    const all = Array.from({ length: 8 }, (_, index) =>
      outcome(correct(index % 2 ? ida : bob, 'deposit', '300')),
    );
    expect((await Promise.all(all)).filter((told) => told === 'done')).toHaveLength(3);
    expect(await accountBalance(client, account)).toBe('900.00 0.00');
  });
});

describe('over HTTP', () => {
  const PATHS = ['admin-deposit', 'admin-withdrawal', 'offramp-deposit'];
  let references = 0;
  const book = (admin: Client, path: string, amount: string, accountId = account) => {
    const more = path.startsWith('admin') ? { reason: 'test' } : { reference: `limit-${(references += 1)}` };
    return admin.call('POST', `/v1/accounts/${path}`, { accountId, amount, ...more });
  };

  it('refuses an amount above the limit and names the field', async () => {
    const admin = await api.client('admin');
    for (const path of PATHS) {
      const answer = await book(admin, path, '1000.01');
      expect([answer.status, answer.body.code, answer.body.field]).toEqual([409, 'limit_exceeded', 'amount']);
    }
    expect((await book(admin, 'admin-deposit', '1000.00')).status).toBe(201);
  });

  it('refuses an amount that would take a tenant’s day above the limit, for all endpoints and admins', async () => {
    const admin = await api.client('admin');
    expect((await book(admin, 'admin-deposit', '400')).status).toBe(201);
    expect((await book(admin, 'offramp-deposit', '300')).status).toBe(201);
    expect(await outcome(correct(ida, 'deposit', '200'))).toBe('done');
    for (const path of PATHS) {
      const answer = await book(await api.client('admin'), path, '100.01');
      expect([answer.status, answer.body.code, answer.body.field]).toEqual([409, 'limit_exceeded', 'amount']);
    }
    expect((await book(admin, 'admin-withdrawal', '100')).status).toBe(201);
    const elsewhere = await anotherAccount();
    expect((await book(admin, 'offramp-deposit', '1000', elsewhere)).status).toBe(409);
    expect((await book(await api.client('admin'), 'offramp-deposit', '1000', elsewhere)).status).toBe(201);
  });

  it('keeps the limit when many requests arrive together', async () => {
    const admin = await api.client('admin');
    const all = Array.from({ length: 9 }, (_, index) => book(admin, PATHS[index % 2 ? 0 : 2] ?? '', '300'));
    const codes = (await Promise.all(all)).map(({ status }) => status).sort();
    expect(codes).toEqual([201, 201, 201, ...Array<number>(6).fill(409)]);
  });

  it('reports a used reference, whatever the limit', async () => {
    const admin = await api.client('admin');
    const given = { accountId: account, amount: '1000', reference: 'once' };
    expect((await admin.call('POST', '/v1/accounts/offramp-deposit', given)).status).toBe(201);
    const again = await admin.call('POST', '/v1/accounts/offramp-deposit', given);
    expect([again.status, again.body.field]).toEqual([400, 'reference']);
  });
});

it('books an off-ramp above the limit when two operators approve it', async () => {
  const offramp = (...argv: string[]) =>
    command(ida, 'account', 'offramp', account, ...argv, ...REASON, '--json');
  const told = await offramp('--amount', '7000', '--reference', 'ramp-7');
  const { approval } = JSON.parse(told.out) as { approval: { id: string } };
  expect(JSON.parse((await command(bob, 'approval', 'approve', approval.id, '--json')).out)).toMatchObject({
    result: { accountId: account, subtype: 'offramp', amount: '7000.00' },
  });
  expect(await accountBalance(client, account)).toBe('7000.00 0.00');
  const again = await offramp('--amount', '7000', '--reference', 'ramp-7');
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('reference')]);
});
