import { checkLedger } from '../../../src/kernel/ledger/check';
import type { Client, TestApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import { type Clock, foldOf, freshKey, linesOf, onClock } from '../external-cards/support';
import {
  bankingPath,
  credited,
  DESTINATION,
  disabled,
  drivenPayout,
  enabled,
  ibanBalance,
  look,
  paidOut,
} from './support';

let api: TestApi & { clock: Clock };
let client: Client;
beforeAll(async () => {
  api = await onClock();
});
beforeEach(async () => {
  client = await api.client();
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const said = ({ status, body }: { status: number; body: any }) => `${status} ${body.code} ${body.field}`;

const EVERY: [string, string][] = [
  ['GET', 'account'],
  ['POST', 'quote'],
  ['POST', 'payouts'],
  ['GET', 'payouts/ibp_unknown'],
  ['POST', 'transfers'],
];

describe('the capability', () => {
  it.each(EVERY)('%s %s is 403 before any other check, until it is enabled', async (method, path) => {
    const other = await api.client();
    await enabled(api, other);
    const ask = (company: string) =>
      client.call(
        method,
        `/v1/corporate-banking/${company}/${path}`,
        method === 'GET' ? undefined : 'not json',
      );
    for (const company of [client.clientId, other.clientId, 'cli_unknown'])
      expect(said(await ask(company))).toBe('403 capability_disabled undefined');
    await enabled(api, client);
    for (const company of [other.clientId, 'cli_unknown']) {
      const answer = await client.call(
        method,
        `/v1/corporate-banking/${company}/${path}`,
        ...(method === 'GET' ? [] : [bodyOf(path), freshKey()]),
      );
      expect(said(answer)).toBe('404 not_found undefined');
    }
    expect((await ask(client.clientId)).body.code).not.toBe('capability_disabled');
  });

  const bodyOf = (path: string) =>
    path === 'transfers'
      ? { amount: '1.00' }
      : path === 'quote'
        ? { amount: '1.00', destination: DESTINATION }
        : { quoteId: 'quo_unknown' };

  it('ends when it is disabled, and the balance stays', async () => {
    const first = await enabled(api, client);
    expect(await enabled(api, client)).toEqual(first);
    await credited(api, first.id, '20.00');
    await disabled(api, client);
    await disabled(api, client);
    expect(said(await client.call('GET', `${bankingPath(client)}/account`))).toBe(
      '403 capability_disabled undefined',
    );
    expect((await enabled(api, client)).iban).toBe(first.iban);
    expect(await ibanBalance(client)).toBe('20.00 0.00');
  });

  it('is available to an admin for any company', async () => {
    const admin = await api.client('admin');
    expect(said(await admin.call('GET', `${bankingPath(client)}/account`))).toBe(
      '403 capability_disabled undefined',
    );
    await enabled(api, client);
    expect((await admin.call('GET', `${bankingPath(client)}/account`)).status).toBe(200);
    expect(said(await admin.call('GET', '/v1/corporate-banking/cli_unknown/account'))).toBe(
      '404 not_found undefined',
    );
  });
});

describe('a virtual IBAN', () => {
  it('is an account with a valid IBAN, apart from the company’s accounts', async () => {
    const { id } = await enabled(api, client);
    const { body } = await client.call('GET', `${bankingPath(client)}/account`);
    expect(body).toEqual({
      id,
      accountId: id,
      companyId: client.clientId,
      iban: expect.stringMatching(/^LT\d{18}$/),
      bic: 'SBXBLT21XXX',
      currency: 'EUR',
      status: 'active',
      balance: { available: '0.00', pending: '0.00' },
      monthlyFee: '10.00',
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    const digits = `${body.iban.slice(4)}2129${body.iban.slice(2, 4)}`; // LT is 21 29
    expect(BigInt(digits) % 97n).toBe(1n);
    const { data } = (await client.call('GET', '/v1/accounts?limit=100')).body;
    expect(data.map((account: { id: string }) => account.id)).not.toContain(id);
  });

  it('differs between companies that are enabled at once', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => api.client()));
    const ibans = await Promise.all(
      [...clients, ...clients].map((each) => enabled(api, each).then(({ iban }) => iban)),
    );
    expect(new Set(ibans).size).toBe(8);
  });
});

describe('its history and balance', () => {
  it('are read by its accountId like those of other accounts', async () => {
    const { id: ibanId } = await enabled(api, client);
    const admin = await api.client('admin');
    for (const amount of ['10.00', '20.00', '30.00']) await credited(api, ibanId, amount);
    const { accountId } = (await client.call('GET', `${bankingPath(client)}/account`)).body;
    for (const caller of [client, admin]) {
      const { status, body } = await caller.call('GET', `/v1/accounts/${accountId}/transactions?limit=2`);
      expect([status, body.hasMore]).toEqual([200, true]);
      expect(body.data.map((each: any) => [each.accountId, each.subtype, each.amount])).toEqual([
        [ibanId, 'iban_credit', '30.00'],
        [ibanId, 'iban_credit', '20.00'],
      ]);
      const next = await caller.call(
        'GET',
        `/v1/accounts/${accountId}/transactions?limit=2&cursor=${body.nextCursor}`,
      );
      expect(next.body.data.map((each: any) => each.amount)).toEqual(['10.00']);
      const balance = await caller.call('GET', `/v2/accounts/${accountId}/balance`);
      expect(balance.body).toMatchObject({ accountId, currency: 'EUR', available: '60.00' });
    }
  });

  it('are a 404 for other companies, and for endpoints of ordinary accounts', async () => {
    const { id: ibanId } = await enabled(api, client);
    const other = await api.client();
    for (const path of [`/v1/accounts/${ibanId}/transactions`, `/v2/accounts/${ibanId}/balance`])
      expect((await other.call('GET', path)).status).toBe(404);
    for (const path of ['payouts', 'payout-options', 'deposits'])
      expect((await client.call('GET', `/v2/accounts/${ibanId}/${path}`)).status).toBe(404);
    const master = await masterAccount(client, 'EUR');
    const { body } = await client.call('GET', `/v1/accounts/${ibanId}/transactions?cursor=${'x'.repeat(10)}`);
    expect(body.field).toBe('cursor');
    await credited(api, ibanId, '1.00');
    await credited(api, ibanId, '1.00');
    const page = (await client.call('GET', `/v1/accounts/${ibanId}/transactions?limit=1`)).body;
    const foreign = await client.call('GET', `/v1/accounts/${master}/transactions?cursor=${page.nextCursor}`);
    expect([foreign.status, foreign.body.field]).toEqual([400, 'cursor']);
  });
});

describe('a payout', () => {
  it('is held, debited when it is sent, and completed', async () => {
    const { id: ibanId } = await enabled(api, client);
    await credited(api, ibanId, '100.00');
    const { id, made, show } = await paidOut(client, '40.00');
    expect(made.body).toMatchObject({
      companyId: client.clientId,
      status: 'created',
      amount: '40.00',
      fee: '0.50',
      totalDebit: '40.50',
      currency: 'EUR',
      referenceId: id,
    });
    expect(JSON.stringify(made.body)).not.toContain('0532013000');
    expect(await ibanBalance(client)).toBe('59.50 40.50');
    await drivenPayout(api, id);
    expect(await show()).toMatchObject({ status: 'completed', sentAt: expect.any(String) });
    expect(await ibanBalance(client)).toBe('59.50 0.00');
    expect(await linesOf(api, ibanId, 'deposit/iban_credit')).toEqual([
      'withdraw/iban_payout -40.00',
      'fee/iban_fee -0.50',
    ]);
    expect(await foldOf(api, ibanId)).toBe('59.50');
  });

  it.each([
    ['901.01', 'failed', '2000.00', undefined],
    ['901.02', 'completed', '1098.48', undefined],
    ['901.04', 'completed', '1098.46', undefined],
    ['901.05', 'completed', '1098.45', undefined],
    ['901.07', 'returned', '1999.50', '901.07'],
    ['901.08', 'returned', '1548.96', '450.54'],
  ])(
    'of %s EUR ends with the decision of the sandbox’s provider: %s',
    async (amount, status, balance, returnedAmount) => {
      const { id: ibanId } = await enabled(api, client);
      await credited(api, ibanId, '2000.00');
      const { id, show } = await paidOut(client, amount);
      await look(api, id).catch(() => undefined); // a lost answer
      await drivenPayout(api, id);
      api.clock.pass(60);
      await look(api, id);
      const shown = await show();
      expect([shown.status, shown.returnedAmount]).toEqual([status, returnedAmount]);
      expect(await ibanBalance(client)).toBe(`${balance} 0.00`);
      expect(await foldOf(api, ibanId)).toBe(balance);
    },
  );

  it('requires a key, an unused quote of the company, and enough money', async () => {
    const { id: ibanId } = await enabled(api, client);
    const path = bankingPath(client);
    const quote = async (amount: string) =>
      (await client.call('POST', `${path}/quote`, { amount, destination: DESTINATION })).body
        .quoteId as string;
    const pay = (quoteId: string, headers: Record<string, string> = freshKey()) =>
      client.call('POST', `${path}/payouts`, { quoteId }, headers);
    expect(said(await pay(await quote('10.00'), {}))).toBe('400 idempotency_key_required x-idempotency-key');
    expect(said(await pay(await quote('10.00')))).toBe('409 insufficient_funds quoteId');
    await credited(api, ibanId, '100.00');
    const used = await quote('10.00');
    expect((await pay(used)).status).toBe(201);
    expect(said(await pay(used))).toBe('409 quote_used quoteId');
    const late = await quote('10.00');
    api.clock.pass(301);
    expect(said(await pay(late))).toBe('409 quote_expired quoteId');
    const other = await api.client();
    await enabled(api, other);
    const stolen = await other.call(
      'POST',
      `${bankingPath(other)}/payouts`,
      { quoteId: await quote('1.00') },
      freshKey(),
    );
    expect(said(stolen)).toBe('404 not_found quoteId');
  });

  it.each([
    [
      { destination: { ...DESTINATION, iban: 'DE89370400440532013001' } },
      '400 invalid_request destination.iban',
    ],
    [{ destination: { iban: DESTINATION.iban } }, '400 invalid_request destination.name'],
    [{ amount: 5 }, '400 invalid_request amount'],
    [{ amount: '5.001' }, '400 invalid_request amount'],
    [{ amount: '0.50' }, '409 limit_exceeded amount'],
  ])('gets no quote for %j', async (given, expected) => {
    await enabled(api, client);
    const body = { amount: '10.00', destination: DESTINATION, ...given };
    expect(said(await client.call('POST', `${bankingPath(client)}/quote`, body))).toBe(expected);
  });

  it('stores its destination sealed, also in the quote', async () => {
    const { id: ibanId } = await enabled(api, client);
    await credited(api, ibanId, '100.00');
    const { id } = await paidOut(client, '10.00');
    const kept = await api.database.query(
      'select p.*, q.terms from iban_payouts p join quotes q on q.id = p.quote_id where p.id = $1',
      [id],
    );
    expect(JSON.stringify(kept)).not.toMatch(/Byron|0532013000/);
  });
});

describe('a transfer', () => {
  it('moves money to the company’s own EUR account at once, under its key', async () => {
    const { id: ibanId } = await enabled(api, client);
    await credited(api, ibanId, '100.00');
    const master = await masterAccount(client, 'EUR');
    const path = `${bankingPath(client)}/transfers`;
    expect(said(await client.call('POST', path, { amount: '1.00' }))).toBe(
      '400 idempotency_key_required x-idempotency-key',
    );
    const key = freshKey();
    const first = await client.call('POST', path, { amount: '30.00' }, key);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      fromAccountId: ibanId,
      toAccountId: master,
      amount: '30.00',
      currency: 'EUR',
    });
    expect((await client.call('POST', path, { amount: '30.00' }, key)).text).toBe(first.text);
    expect(await ibanBalance(client)).toBe('70.00 0.00');
    expect(await linesOf(api, master)).toEqual(['transfer/account_in 30.00']);
    expect(said(await client.call('POST', path, { amount: '70.01' }, freshKey()))).toBe(
      '409 insufficient_funds amount',
    );
  });
});
