import { checkLedger } from '../../src/kernel/ledger/check';
import { accountBalance } from '../cards/cards/support';
import { type Client, type TestApi, testApi } from '../support/api';
import { masterAccount } from '../support/cards';
import { anotherOperator, command, operatorEnvironment } from '../support/operator';

let api: TestApi;
let client: Client;
let account: string;
let ida: Record<string, string>;
let bob: Record<string, string>;
beforeAll(async () => {
  api = await testApi();
  ida = { ...(await operatorEnvironment(api.database, 'ida')), ADMIN_LIMIT: '1000' };
  bob = await anotherOperator(ida, 'bob');
});
beforeEach(async () => {
  client = await api.client();
  account = await masterAccount(client);
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

it('does at once what is within the limit', async () => {
  const done = await correct(ida, 'deposit', '1000.00', '--json');
  expect(JSON.parse(done.out)).toMatchObject({
    accountId: account,
    subtype: 'admin_deposit',
    balanceAfter: '1000.00',
  });
  expect((await correct(ida, 'withdraw', '400')).out).toBe(`${account}: done.`);
  expect(await accountBalance(client, account)).toBe('600.00 0.00');
  expect(await audited(account)).toEqual([
    { actor: 'operator:ida', action: 'account.deposit' },
    { actor: 'operator:ida', action: 'account.withdraw' },
  ]);
});

it('asks for what is above it, and another operator does it', async () => {
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

it('rejects, and lets who asked take it back', async () => {
  const [one, two] = [await asked(), await asked()];
  expect((await command(bob, 'approval', 'reject', one)).code).toBe(2); // without a reason
  expect((await command(bob, 'approval', 'reject', one, ...REASON)).out).toBe(`${one} is rejected.`);
  expect((await command(ida, 'approval', 'reject', two, ...REASON)).code).toBe(0);
  expect((await command(bob, 'approval', 'approve', one)).code).toBe(4);
  expect(await accountBalance(client, account)).toBe('0.00 0.00');
});

it('is done once, however often it is approved at once', async () => {
  const id = await asked();
  const eve = await anotherOperator(ida, `eve-${id}`);
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, index) => command(index % 2 ? bob : eve, 'approval', 'approve', id)),
  );
  expect(all.filter(({ code }) => code === 0)).toHaveLength(1);
  expect(await accountBalance(client, account)).toBe('1000.01 0.00');
});

it('applies the rules of when it is approved: refused, it still waits', async () => {
  await correct(ida, 'deposit', '1000.00');
  await correct(ida, 'deposit', '1000.00');
  const id = await asked('withdraw', '1500.00');
  await correct(ida, 'withdraw', '900.00');
  const refused = await command(bob, 'approval', 'approve', id);
  expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('does not cover')]);
  await correct(ida, 'deposit', '400.00');
  expect((await command(bob, 'approval', 'approve', id)).code).toBe(0);
  expect(await accountBalance(client, account)).toBe('0.00 0.00');
});

it('asks for nothing that could not be done now', async () => {
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

it('is refused over HTTP above the limit, naming the amount', async () => {
  const admin = await api.client('admin');
  for (const path of ['admin-deposit', 'admin-withdrawal']) {
    const body = { accountId: account, amount: '1000000.01', reason: 'test' };
    const answer = await admin.call('POST', `/v1/accounts/${path}`, body);
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([409, 'limit_exceeded', 'amount']);
  }
  const body = { accountId: account, amount: '1000000.00', reason: 'test' };
  expect((await admin.call('POST', '/v1/accounts/admin-deposit', body)).status).toBe(201);
});
