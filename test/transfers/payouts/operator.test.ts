import { checkLedger } from '../../../src/kernel/ledger/check';
import { setUserStatus } from '../../../src/people/users/operations';
import { accountBalance } from '../../cards/cards/support';
import { type Client, type TestApi, testApi } from '../../support/api';
import { command, operatorEnvironment } from '../../support/operator';
import { created, fundedAccount, IBAN, look, read } from './support';

let api: TestApi;
let client: Client;
let accountId: string;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
  accountId = await fundedAccount(api, client, '90000.00');
  environment = await operatorEnvironment(api.database);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

async function operator(...argv: string[]) {
  const { code, out, err } = await command(environment, ...argv);
  return { code, text: out, err };
}

async function pending(account = accountId): Promise<string> {
  const id = await created(client, account, { amount: '10000.00' });
  expect(await look(api, id)).toBe('pending_approval');
  return id;
}

it('lists waiting payouts without their destination', async () => {
  const id = await pending();
  const { text } = await operator('payout', 'list');
  expect(text).toMatch(new RegExp(`${id}.*${client.clientId}.*10000.35 EUR`));
  const { text: json } = await operator('payout', 'list', '--json');
  expect(JSON.parse(json)).toContainEqual(
    expect.objectContaining({ id, total: { amount: '10000.35', currency: 'EUR' } }),
  );
  expect(text + json).not.toContain(IBAN);
});

it('approve stores a decision with the operator, and signals the workflow', async () => {
  const id = await pending();
  const answer = await operator('payout', 'approve', id, '--reason', 'Called them.', '--json');
  expect([answer.code, JSON.parse(answer.text)]).toEqual([0, await read(client, accountId, id)]);
  expect((await read(client, accountId, id)).status).toBe('processing');
  const decisions = await api.database.query(
    'select kind, reason, decided_by from transfer_decisions where transfer_id = $1',
    [id],
  );
  const decidedBy = expect.stringMatching(/^operator:.+/) as string;
  expect(decisions).toEqual([{ kind: 'approve', reason: 'Called them.', decided_by: decidedBy }]);
  const commands = await api.database.query(
    `select workflow_id, action from workflow_commands where args ->> 0 = $1 and action = 'look'`,
    [id],
  );
  expect(commands).toEqual([{ workflow_id: `payout-lifecycle-${id}`, action: 'look' }]);
  const audited = await api.database.query('select action, before, after from audit_log where subject = $1', [
    id,
  ]);
  expect(audited).toEqual([
    {
      action: 'payout.approve',
      before: { status: 'pending_approval' },
      after: { status: 'processing', reason: 'Called them.' },
    },
  ]);
});

it('reject releases the hold at once, and the client reads the reason', async () => {
  const before = await accountBalance(client, accountId);
  const [one, two] = [await pending(), await pending()];
  await operator('payout', 'reject', one, '--reason', 'No invoice.');
  expect((await operator('payout', 'reject', two, '--reason', 'No answer.')).text).toBe(
    `${two} is rejected.`,
  );
  expect(await read(client, accountId, one)).toMatchObject({
    status: 'rejected',
    description: 'No invoice.',
  });
  expect((await read(client, accountId, two)).description).toBe('No answer.');
  expect(await accountBalance(client, accountId)).toBe(before);
});

it('refuses an impossible decision with a reason, and changes nothing', async () => {
  const id = await pending();
  await operator('payout', 'reject', id, '--reason', 'No answer.');
  const again = await operator('payout', 'approve', id);
  expect([again.code, again.err]).toEqual([4, 'A payout that is rejected cannot be approved.']);
  expect(await operator('payout', 'approve', 'nonsense')).toMatchObject({
    code: 3,
    err: 'payout not found.',
  });
  expect((await operator('payout', 'reject', id, '--reason', ' ')).code).toBe(2);
  const rows = await api.database.query('select 1 from transfer_decisions where transfer_id = $1', [id]);
  expect(rows).toHaveLength(1);
});

it('refuses to approve a payout of a blocked user', async () => {
  const user = (await client.call('POST', '/v1/users', {})).body;
  const opened = await client.call('POST', `/v1/users/${user.id}/accounts`, { currency: 'EUR' });
  const own = String(opened.body.id);
  const transfer = { fromAccountId: accountId, toAccountId: own, amount: '10000.35' };
  await client.call('POST', '/v1/users/transfer', transfer);
  const id = await pending(own);
  await api.database.transaction((tx) =>
    setUserStatus(api.services, tx, null, String(user.id), 'blocked', undefined),
  );
  expect(await operator('payout', 'approve', id)).toMatchObject({ code: 4, err: 'The user is blocked.' });
  expect((await read(client, own, id)).status).toBe('pending_approval');
});

it('sets a tenant’s terms and threshold', async () => {
  const approvalAbove = JSON.stringify([{ currency: 'EUR', amount: '50.00' }]);
  const other = await api.client();
  const account = await fundedAccount(api, other);
  await operator('client', 'settings', other.clientId, '--set', `payouts.approvalAbove=${approvalAbove}`);
  const above = await created(other, account, { amount: '50.00' });
  expect(await look(api, above)).toBe('pending_approval');
  const below = await created(other, account, { amount: '49.65' });
  expect(await look(api, below)).toBe('processing');
  await operator('client', 'settings', other.clientId, '--set', 'payouts.options=[]');
  expect((await other.call('GET', `/v2/accounts/${account}/payout-options`)).body.data).toEqual([]);
  const bad = await operator(
    'client',
    'settings',
    other.clientId,
    '--set',
    'payouts.approvalAbove=[{"currency":"EUR"}]',
  );
  expect(bad.code).toBe(2);
});
