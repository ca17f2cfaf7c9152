/** @long */
import { checkLedger } from '../../../src/kernel/ledger/check';
import { accountBalance } from '../../cards/cards/support';
import { insertNetwork } from '../../chain/wallets/support';
import { type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../../support/api';
import { fund, masterAccount, simulate } from '../../support/cards';
import { command, operatorEnvironment } from '../../support/operator';
import { userAccount as accountOfUser, closedCard, emptied, ownCard } from './support';

/** Closing of an account by an operator (decisions part 4, Users and accounts). */

let api: TestApi;
let client: Client;
let admin: Client;
let operator: Record<string, string>;
beforeAll(async () => {
  api = await testApi(DECIDED_AT_ONCE);
  operator = await operatorEnvironment(api.database);
  admin = await api.client('admin');
});
beforeEach(async () => {
  client = await api.client();
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const close = (id: string, ...more: string[]) =>
  command(operator, 'account', 'close', id, '--reason', 'they left', ...more);

const userAccount = (currency?: string) => accountOfUser(client, currency);

async function closedWithAccount() {
  const card = await closedCard(api, client);
  expect((await close(card.accountId)).code).toBe(0);
  return card;
}

const statusOf = async (id: string) =>
  (await client.call('GET', '/v1/accounts?limit=100')).body.data.find(
    (each: { id: string }) => each.id === id,
  )?.status;
const openBreaks = async (subject: string) =>
  (
    await api.database.query<{ kind: string }>(
      'select kind from breaks where subject = $1 and resolved_at is null',
      [subject],
    )
  ).map(({ kind }) => kind);

it('closes an empty account, records the reason, and opens a new one beside it', async () => {
  const { userId, accountId } = await userAccount();
  const { code, out } = await close(accountId, '--json');
  expect([code, JSON.parse(out)]).toEqual([
    0,
    { accountId, clientId: client.clientId, currency: 'USD', status: 'closed' },
  ]);
  expect(await statusOf(accountId)).toBe('closed');
  const written = await api.database.query(`select action, before, after from audit_log where subject = $1`, [
    accountId,
  ]);
  expect(written).toEqual([
    {
      action: 'account.close',
      before: { status: 'active' },
      after: { status: 'closed', reason: 'they left' },
    },
  ]);
  const withBins = (await client.call('GET', `/v2/accounts?userId=${userId}`)).body.data;
  expect(withBins).toMatchObject([{ id: accountId, bins: [] }]);
  const open = () => client.call('POST', `/v1/users/${userId}/accounts`, { currency: 'USD' });
  const [made, again] = [await open(), await open()];
  expect([made.status, again.status, again.body.id]).toEqual([201, 200, made.body.id]);
  expect(made.body.id).not.toBe(accountId);
  const listed = await client.call('GET', `/v1/accounts?userId=${userId}&status=closed`);
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([accountId]);
  const twice = await close(accountId);
  expect([twice.code, twice.err]).toEqual([4, expect.stringContaining('closed')]);
});

it('opens a master account beside a closed one, which receives fees and off-ramps', async () => {
  const gbp = await masterAccount(client, 'GBP');
  await close(gbp);
  const { accountId } = await userAccount('GBP');
  const offramp = { accountId, amount: '5.00', reference: 'ramp-1' };
  const refused = await admin.call('POST', '/v1/accounts/offramp-deposit', offramp);
  expect([refused.status, refused.body.code]).toEqual([409, 'account_closed']);
  const opened = await command(
    operator,
    ...['account', 'open', '--client', client.clientId, '--currency', 'GBP'],
  );
  expect([opened.code, opened.out]).toEqual([0, expect.stringMatching(/opened\s+true/)]);
  const done = await admin.call('POST', '/v1/accounts/offramp-deposit', offramp);
  expect([done.status, done.body.masterAccountId === gbp]).toEqual([201, false]);
});

describe('refuses, names the obstacle and changes nothing, for', () => {
  const refusal = async (id: string, exit = 4) => {
    const { code, err } = await close(id);
    expect(code).toBe(exit);
    if (exit === 4) expect(await statusOf(id)).toBe('active');
    return err;
  };

  it('an unknown account', async () => {
    expect(await refusal('acc_01h455vb4pex5vsknk084sn02q', 3)).toContain('account');
  });

  it('an account with money', async () => {
    const { accountId } = await userAccount();
    await fund(api, accountId, '12.00');
    expect(await refusal(accountId)).toContain('12.00 USD available and 0.00 pending');
  });

  it('the account of an open card, and the master account of its fees', async () => {
    const { cardId, accountId, master } = await ownCard(api, client);
    await emptied(client, accountId, master);
    for (const id of [accountId, master]) expect(await refusal(id)).toContain(`the card ${cardId} is active`);
  });

  it('an account with a deposit that waits for its payer', async () => {
    const { accountId } = await userAccount();
    const quoted = await client.call('POST', `/v2/accounts/${accountId}/deposit-quote`, {
      method: 'card',
      amount: '5.00',
    });
    const asked = { quoteId: quoted.body.quoteId, returnUrl: 'https://shop.example/back' };
    const key = { 'x-idempotency-key': 'one' };
    const made = await client.call('POST', `/v2/accounts/${accountId}/deposits`, asked, key);
    expect(await refusal(accountId)).toContain(`deposit ${made.body.id} is created`);
  });

  it('an account with an allocated wallet, until the wallet is released', async () => {
    await insertNetwork(api.database, { chain: 'closing', chainId: 77 });
    const { accountId } = await userAccount();
    const asked = { chain: 'closing', asset: 'USDT', accountId, reference: 'payer' };
    const { address } = (await client.call('POST', '/v1/wallets/allocate', asked)).body;
    expect(await refusal(accountId)).toContain(address);
    await client.call('POST', '/v1/wallets/release', { chain: 'closing', address });
    expect((await close(accountId)).code).toBe(0);
  });
});

it('refuses every movement on a closed account', async () => {
  const { accountId } = await userAccount();
  const other = await masterAccount(client);
  const eur = await masterAccount(client, 'EUR');
  await fund(api, other, '50.00');
  const quoteOf = async (path: string, body: object) => (await client.call('POST', path, body)).body.quoteId;
  const exchange = `/v2/accounts/${other}/exchange`;
  const into = await userAccount('EUR');
  const exchanged = await quoteOf(`${exchange}-quote`, {
    toAccountId: into.accountId,
    amount: '5',
    side: 'sell',
  });
  const deposited = await quoteOf(`/v2/accounts/${accountId}/deposit-quote`, { method: 'card', amount: '5' });
  await close(accountId);
  await close(into.accountId);
  const key = () => ({ 'x-idempotency-key': `key-${Math.random()}` });
  const amount = '1.00';
  const answers = await Promise.all([
    client.call('POST', '/v1/users/transfer', { fromAccountId: other, toAccountId: accountId, amount }),
    client.call('POST', '/v1/users/transfer', { fromAccountId: accountId, toAccountId: other, amount }),
    admin.call('POST', '/v1/accounts/admin-deposit', { accountId, amount, reason: 'x' }),
    admin.call('POST', '/v1/accounts/admin-withdrawal', { accountId, amount, reason: 'x' }),
    admin.call('POST', '/v1/accounts/offramp-deposit', { accountId, amount, reference: 'x' }),
    client.call('POST', `${exchange}s`, { quoteId: exchanged }, key()),
    client.call(
      ...(['POST', `/v2/accounts/${accountId}/deposits`] as const),
      { quoteId: deposited, returnUrl: 'https://shop.example/back' },
      key(),
    ),
    client.call(
      ...(['POST', `/v2/accounts/${accountId}/topup/card`] as const),
      { amount: '10.00', paymentMethodToken: 'tok_visa' },
      key(),
    ),
    client.call('POST', '/v1/exchange/orders', { fromAccountId: eur, toAccountId: accountId, amount }, key()),
  ]);
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
    answers.map(() => [409, 'account_closed']),
  );
});

describe('a payment that returns to a closed card of a closed account', () => {
  const refund = (cardId: string, referenceId: string, amount: string) =>
    simulate(client, { cardId, type: 'refund', referenceId, amount });

  it('goes to the tenant’s master account of the currency', async () => {
    const { cardId, referenceId, accountId, master } = await closedWithAccount();
    const before = await accountBalance(client, master);
    expect((await refund(cardId, referenceId, '15.00')).status).toBe(201);
    expect(await accountBalance(client, accountId)).toBe('0.00 0.00');
    expect([before, await accountBalance(client, master)]).toEqual(['60.70 0.00', '75.70 0.00']);
    const { body } = await client.call('GET', `/v1/accounts/${master}/transactions`);
    expect(body.data[0]).toMatchObject({ subtype: 'card_closed_refund', amount: '15.00' });
  });

  it('goes to suspense when that account is closed too, and an operator pays it out', async () => {
    const { cardId, referenceId, master } = await closedWithAccount();
    const { accountId: other } = await userAccount();
    await emptied(client, master, other);
    expect((await close(master)).code).toBe(0);
    expect((await refund(cardId, referenceId, '15.00')).status).toBe(201);
    expect((await refund(cardId, referenceId, '5.00')).status).toBe(201);
    expect(await accountBalance(client, master)).toBe('0.00 0.00');
    expect(await openBreaks(cardId)).toEqual(['card_money_in_suspense', 'card_money_in_suspense']);
    const shown = async () =>
      JSON.parse((await command(operator, 'suspense', 'list', '--transfer', cardId, '--json')).out);
    expect(await shown()).toMatchObject([{ kind: 'card', amount: { amount: '20.00', currency: 'USD' } }]);
    const door = (name: string, ...more: string[]) =>
      command(operator, 'suspense', name, cardId, '--reason', 'theirs', ...more);
    expect((await door('credit', '--account', master)).code).toBe(4);
    expect((await door('return')).code).toBe(4);
    expect((await door('credit', '--account', other, '--amount', '20.01')).code).toBe(4);
    expect((await door('credit', '--account', other, '--amount', '12.00')).code).toBe(0);
    expect(await accountBalance(client, other)).toBe('72.70 0.00');
    expect(await shown()).toMatchObject([{ amount: { amount: '8.00' } }]);
    expect((await door('write-off')).code).toBe(0);
    expect([await shown(), await openBreaks(cardId)]).toEqual([[], []]);
    expect((await door('write-off')).code).toBe(4);
  });
});
