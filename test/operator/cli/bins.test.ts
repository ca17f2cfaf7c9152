/** @long */
import { randomBytes } from 'node:crypto';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardholder, fund } from '../../support/cards';
import { testKeyring } from '../../support/keyring';
import { operatorOf, type TestOperator } from '../../support/operator';

const masterKey = randomBytes(32);
let api: TestApi;
let operator: TestOperator;
let client: Client;
beforeAll(async () => {
  api = await testApi({ keyring: testKeyring(masterKey) });
  operator = await operatorOf(api, masterKey);
});
beforeEach(async () => {
  client = await api.client();
});
afterAll(() => api.close());

const audited = (subject: string) =>
  api.database.query<Record<string, any>>(
    `select actor, action, tenant_id, before, after from audit_log where subject = $1 order by id`,
    [subject],
  );

const accountIn = async (currency: string) =>
  (await client.call('GET', `/v1/accounts?ownerType=client&currency=${currency}`)).body.data as {
    id: string;
    balance: object;
  }[];

async function settingsIn(currency: string): Promise<string[] | undefined> {
  const { body } = await client.call('GET', '/v1/client/settings');
  return body.accounts.find((each: { currency: string }) => each.currency === currency)?.capabilities;
}

const BIN = ['--scheme', 'visa', '--model', 'B2B'];
let next = 60_000_000;
const newBin = () => String((next += 1));

describe('account open', () => {
  const open = (currency: string, ...more: string[]) =>
    operator('account', 'open', '--client', client.clientId, '--currency', currency, '--json', ...more);

  it('opens a master account in any currency once, returns the existing one, and is audited', async () => {
    expect(await accountIn('CHF')).toEqual([]);
    const made = await open('chf');
    expect(made.code).toBe(0);
    const { accountId } = made.json();
    expect(made.json()).toEqual({ accountId, clientId: client.clientId, currency: 'CHF', opened: true });
    expect(await accountIn('CHF')).toEqual([
      expect.objectContaining({ id: accountId, balance: { available: '0.00', pending: '0.00' } }),
    ]);
    expect((await open('CHF')).json()).toEqual({ ...made.json(), opened: false });
    expect(await audited(accountId)).toEqual([
      {
        actor: 'operator:ida',
        action: 'account.open',
        tenant_id: client.clientId,
        before: null,
        after: { currency: 'CHF', opened: true, reason: null },
      },
      expect.objectContaining({ after: { currency: 'CHF', opened: false, reason: null } }),
    ]);
    await fund(api, accountId, '3.00');
    expect(await settingsIn('CHF')).toEqual([
      'transfer',
      'deposit',
      'payout',
      'card_topup',
      'card_withdrawal',
      'exchange',
    ]);
  });

  it('opens an account of an asset', async () => {
    expect((await open('USDT')).json()).toMatchObject({ currency: 'USDT', opened: true });
    expect(await accountIn('USDT')).toMatchObject([{ balance: { available: '0.000000' } }]);
  });

  it('opens one account when ten commands run together', async () => {
    const told = await Promise.all(Array.from({ length: 10 }, () => open('SEK')));
    expect(told.map(({ code }) => code)).toEqual(Array(10).fill(0));
    expect(told.filter((each) => each.json().opened)).toHaveLength(1);
    expect(await accountIn('SEK')).toHaveLength(1);
  });

  it('refuses invalid input', async () => {
    expect((await open('XXY')).code).toBe(2);
    expect((await operator('account', 'open', '--client', 'cli_unknown', '--currency', 'CHF')).code).toBe(3);
  });
});

describe('bin', () => {
  it('opens the account that a tenant needs to issue on the BIN, and is audited', async () => {
    const bin = newBin();
    const admit = ['--admit', client.clientId, '--json'];
    expect((await operator('bin', 'add', bin, ...BIN, '--currency', 'PLN', ...admit)).code).toBe(0);
    const [account] = await accountIn('PLN');
    expect(await audited(account?.id ?? '')).toMatchObject([
      { action: 'account.open', after: { currency: 'PLN' } },
    ]);
    expect(await settingsIn('PLN')).toContain('card_issuing');
    const other = newBin();
    expect((await operator('bin', 'add', other, ...BIN, '--currency', 'NOK')).code).toBe(0);
    expect((await operator('bin', 'admit', other, '--client', client.clientId)).code).toBe(0);
    expect((await operator('bin', 'admit', other, '--client', client.clientId)).code).toBe(0);
    const [opened, ...more] = await accountIn('NOK');
    expect(more).toEqual([]);
    expect(await audited(opened?.id ?? '')).toHaveLength(1);
  });

  it('can be closed, so that no new card is issued on it, and opened again', async () => {
    const bin = newBin();
    await operator('bin', 'add', bin, ...BIN, '--currency', 'HUF', '--admit', client.clientId);
    const holder = await cardholder(client, bin, 'HUF');
    const { userId, accountId, cardholderId } = holder;
    const ask = () => client.call('POST', '/v1/cards', { userId, accountId, cardholderId });
    expect((await operator('bin', 'close', bin, '--reason', 'Full.', '--json')).json()).toMatchObject({
      bin,
      status: 'closed',
    });
    expect(await ask()).toMatchObject({ status: 409, body: { code: 'bin_closed' } });
    expect(await settingsIn('HUF')).not.toContain('card_issuing');
    expect((await operator('bin', 'list')).text).toMatch(new RegExp(`${bin}.* closed `));
    expect((await operator('bin', 'open', bin, '--reason', 'Room again.')).text).toContain('active');
    expect((await ask()).status).toBe(201);
    expect((await audited(bin)).slice(1)).toMatchObject([
      { action: 'bin.close', before: { status: 'active' }, after: { status: 'closed', reason: 'Full.' } },
      { action: 'bin.open', before: { status: 'closed' }, after: { status: 'active' } },
    ]);
  });

  it('can get another capacity', async () => {
    const bin = newBin();
    await operator('bin', 'add', bin, ...BIN, '--currency', 'USD', '--admit', client.clientId);
    const set = async (...more: string[]) => (await operator('bin', 'set', bin, ...more, '--json')).json();
    expect(await set('--capacity', '1')).toMatchObject({ capacityPerCardholder: 1 });
    const { userId, accountId, cardholderId } = await cardholder(client, bin);
    const ask = () => client.call('POST', '/v1/cards', { userId, accountId, cardholderId });
    expect((await ask()).status).toBe(201);
    expect(await ask()).toMatchObject({ status: 409, body: { code: 'limit_exceeded' } });
    const { body } = await client.call('GET', `/v1/bins/${bin}/capacity?cardholderId=${cardholderId}`);
    expect(body).toMatchObject({ limit: 1, used: 1, remaining: 0 });
    expect(await set('--capacity', '2')).toMatchObject({ capacityPerCardholder: 2 });
    expect((await audited(bin)).at(-1)).toMatchObject({
      action: 'bin.set',
      before: { capacityPerCardholder: 1 },
      after: { capacityPerCardholder: 2 },
    });
  });

  it('refuses invalid input and changes nothing', async () => {
    const bin = newBin();
    await operator('bin', 'add', bin, ...BIN, '--currency', 'USD');
    const wrong: [string[], number][] = [
      [['set', bin, '--capacity', '0'], 2],
      [['limits', bin, '--max-authorization', '1.005'], 2],
      [['limits', bin, '--max-authorization', 'much'], 2],
      [['set', '99999999', '--capacity', '1'], 3],
      [['close', '99999999', '--reason', 'x'], 3],
      [['close', bin], 2],
    ];
    for (const [given, code] of wrong)
      expect([given, (await operator('bin', ...given)).code]).toEqual([given, code]);
    expect(await audited(bin)).toHaveLength(1);
  });
});

it('warns about an account without an option for deposits or payouts', async () => {
  const option = { method: 'card', currency: 'EUR', min: '1', max: '2', feeFixed: '0', feePercent: '0' };
  const setting = (key: string, options: object[]) =>
    operator('client', 'settings', client.clientId, '--set', `${key}=${JSON.stringify(options)}`);
  expect((await setting('payouts.options', [])).code).toBe(0);
  expect((await setting('deposits.options', [{ ...option, estimatedTime: 'PT5M' }])).code).toBe(0);
  expect(await settingsIn('EUR')).toEqual([
    ...['transfer', 'card_issuing', 'deposit', 'card_topup', 'card_withdrawal', 'exchange'],
  ]);
  // USD can be exchanged for EUR. A currency without a quote can only be ordered, because the exchange decides what it
  // accepts.
  expect(await settingsIn('USD')).toContain('deposit');
  await operator('account', 'open', '--client', client.clientId, '--currency', 'KPW');
  expect(await settingsIn('KPW')).toEqual(['transfer', 'card_topup', 'card_withdrawal', 'exchange']);
});

it('sets a tenant’s fees for exchanges between accounts, and refuses impossible fees', async () => {
  const set = (...changes: string[]) =>
    operator('client', 'settings', client.clientId, ...changes.flatMap((change) => ['--set', change]));
  const fixed = (amount: string) => `exchange.feeFixed=${JSON.stringify([{ currency: 'USD', amount }])}`;
  const stored = async () =>
    (
      await api.database.query<{ exchange: object }>(
        `select settings->'exchange' as exchange from tenants where id = $1`,
        [client.clientId],
      )
    )[0]?.exchange;
  const shown = await operator('show', client.clientId, '--json');
  const before: object = shown.json().record.settings.exchange;
  expect((await set('exchange.spreadBps=25', 'exchange.feePercent=0.5', fixed('0.30'))).code).toBe(0);
  // Fees of orders and withdrawals are unchanged.
  const fees = { spreadBps: 25, feePercent: '0.5', feeFixed: [{ currency: 'USD', amount: '0.30' }] };
  const kept = { ...before, ...fees };
  expect(await stored()).toEqual(kept);
  for (const change of [
    'exchange.spreadBps=-1',
    'exchange.spreadBps=0.5',
    'exchange.feePercent=100',
    fixed('0.001'),
  ])
    expect([change, (await set(change)).code]).not.toEqual([change, 0]);
  expect(await stored()).toEqual(kept);
});
