/** @long */
import { type Client, type TestApi, testApi } from '../../support/api';

let api: TestApi;
let client: Client;
let other: Client;
let admin: Client;
beforeAll(async () => {
  api = await testApi();
  [client, other, admin] = await Promise.all([api.client(), api.client(), api.client('admin')]);
});
afterAll(() => api.close());

const UNKNOWN = 'acc_01h455vb4pex5vsknk084sn02q';

async function master(by: Client, currency = 'USD'): Promise<string> {
  return (await by.call('GET', `/v1/accounts?currency=${currency}&ownerType=client`)).body.data[0].id;
}
async function userAccount(by: Client, currency = 'USD') {
  const user = (await by.call('POST', '/v1/users', {})).body;
  const account = (await by.call('POST', `/v1/users/${user.id}/accounts`, { currency })).body;
  return { userId: user.id as string, accountId: account.id as string };
}
const deposit = (accountId: string, amount: string) =>
  admin.call('POST', '/v1/accounts/admin-deposit', { accountId, amount, reason: 'test' });
const balance = async (by: Client, accountId: string) =>
  (await by.call('GET', `/v2/accounts/${accountId}/balance`)).body;
const count = async (table: 'ledger_legs' | 'events' | 'audit_log' | 'transfers' | 'offramp_references') =>
  Number((await api.database.query<{ n: string }>(`select count(*) as n from ${table}`))[0]?.n);
const recorded = async () =>
  Promise.all(
    (['ledger_legs', 'events', 'audit_log', 'transfers', 'offramp_references'] as const).map(count),
  );
const eventsOf = (referenceId: string) =>
  api.database.query<{ data: string; tenant_id: string; idempotency_key: string | null }>(
    'select data, tenant_id, idempotency_key from events where reference_id = $1 order by number',
    [referenceId],
  );

describe('GET /v1/accounts', () => {
  it('shows a new tenant three empty master accounts, filtered', async () => {
    const fresh = await api.client();
    const { body } = await fresh.call('GET', '/v1/accounts');
    expect(body).toMatchObject({ hasMore: false, nextCursor: null });
    expect(body.data.map(({ currency }: { currency: string }) => currency).sort()).toEqual([
      'EUR',
      'GBP',
      'USD',
    ]);
    expect(body.data[0]).toEqual({
      id: expect.stringMatching(/^acc_/),
      ownerType: 'client',
      currency: expect.any(String),
      status: 'active',
      balance: { available: '0.00', pending: '0.00' },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const { userId, accountId } = await userAccount(fresh, 'EUR');
    const ids = async (query: string) =>
      (await fresh.call('GET', `/v1/accounts?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids(`userId=${userId}`)).toEqual([accountId]);
    expect(await ids('ownerType=user')).toEqual([accountId]);
    expect(await ids('currency=EUR')).toHaveLength(2);
    expect(await ids('status=closed')).toEqual([]);
    expect(await ids('userId=nobody')).toEqual([]);
  });

  it('lists in pages, with none missed or repeated', async () => {
    const fresh = await api.client();
    for (let index = 0; index < 4; index += 1) await userAccount(fresh);
    const whole = (await fresh.call('GET', '/v1/accounts?limit=100')).body.data;
    const seen: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await fresh.call('GET', `/v1/accounts?limit=3${cursor}`);
      seen.push(...body.data);
      if (!body.hasMore) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(whole).toHaveLength(7);
    expect(seen).toEqual(whole);
  });
});

describe('GET /v2/accounts', () => {
  it('adds the enabled BINs of the currency', async () => {
    const fresh = await api.client();
    const { userId, accountId } = await userAccount(fresh);
    await fresh.call('POST', `/v1/users/${userId}/bins`, { bin: '44112200', enabled: false });
    const { data } = (await fresh.call('GET', '/v2/accounts')).body;
    const bins = (of: (account: { id: string; currency: string; ownerType: string }) => boolean) =>
      data.find(of).bins.map(({ bin }: { bin: string }) => bin);
    expect(bins(({ id }) => id === accountId)).toEqual(['44112201']);
    expect(bins(({ currency, ownerType }) => currency === 'USD' && ownerType === 'client')).toEqual([
      '44112200',
      '44112201',
    ]);
    expect(bins(({ currency }) => currency === 'EUR')).toEqual(['53112202']);
    expect(bins(({ currency }) => currency === 'GBP')).toEqual([]);
  });
});

describe('GET /v1/client/settings', () => {
  it('lists the capabilities of each master account', async () => {
    const { body, status } = await client.call('GET', '/v1/client/settings');
    expect(status).toBe(200);
    expect(body.clientId).toBe(client.clientId);
    const byCurrency = Object.fromEntries(
      body.accounts.map((account: { currency: string; capabilities: string[] }) => [
        account.currency,
        account.capabilities,
      ]),
    );
    const money = ['deposit', 'payout', 'card_topup', 'card_withdrawal', 'exchange'];
    expect(byCurrency).toEqual({
      USD: ['transfer', 'card_issuing', ...money],
      EUR: ['transfer', 'card_issuing', ...money],
      GBP: ['transfer', ...money],
    });
    expect(body.accounts.map((account: { accountId: string }) => account.accountId)).toContain(
      await master(client),
    );
  });
});

describe('POST /v1/accounts/admin-deposit and admin-withdrawal', () => {
  it('credit and debit an account, with events and an entry in the audit log', async () => {
    const { accountId } = await userAccount(client);
    const key = { 'x-idempotency-key': `deposit-${accountId}` };
    const request = { accountId, amount: '100.5', reason: 'goodwill' };
    const credited = await admin.call('POST', '/v1/accounts/admin-deposit', request, key);
    expect(credited).toMatchObject({ status: 201 });
    expect(credited.body).toEqual({
      id: expect.stringMatching(/^atx_/),
      accountId,
      type: 'deposit',
      subtype: 'admin_deposit',
      amount: '100.50',
      currency: 'USD',
      referenceId: expect.stringMatching(/^ref_/),
      timestamp: expect.stringMatching(/Z$/),
      balanceAfter: '100.50',
      createdAt: credited.body.timestamp,
      updatedAt: credited.body.timestamp,
    });
    const debited = await admin.call('POST', '/v1/accounts/admin-withdrawal', {
      accountId,
      amount: '0.01',
      reason: 'dust',
    });
    expect(debited).toMatchObject({
      status: 201,
      body: { type: 'withdraw', subtype: 'admin_withdrawal', amount: '0.01', balanceAfter: '100.49' },
    });
    expect(await balance(client, accountId)).toMatchObject({ available: '100.49', pending: '0.00' });

    const [event] = await eventsOf(credited.body.referenceId);
    const { createdAt: _, updatedAt: __, ...told } = credited.body;
    const effect = { available: '100.50', pending: '0.00', spent: '0.00' };
    expect(JSON.parse(event?.data ?? '')).toEqual({ ...told, effect });
    expect(event).toMatchObject({ tenant_id: client.clientId, idempotency_key: key['x-idempotency-key'] });

    const lines = await api.database.query('select * from audit_log where subject = $1 order by id', [
      accountId,
    ]);
    expect(lines).toMatchObject([
      {
        actor: admin.clientId,
        action: 'accounts.admin-deposit',
        tenant_id: client.clientId,
        before: { available: '0.00' },
        after: { available: '100.50', reason: 'goodwill', transactionId: credited.body.id },
      },
      {
        action: 'accounts.admin-withdrawal',
        before: { available: '100.50' },
        after: { available: '100.49', reason: 'dust' },
      },
    ]);
  });

  it('are refused to clients', async () => {
    const accountId = await master(client);
    const before = await recorded();
    for (const path of ['admin-deposit', 'admin-withdrawal', 'offramp-deposit']) {
      const answer = await client.call('POST', `/v1/accounts/${path}`, {
        accountId,
        amount: '1.00',
        reason: 'x',
        reference: 'x',
      });
      expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    }
    expect(await recorded()).toEqual(before);
  });

  it('refuse to overdraw an account', async () => {
    const { accountId } = await userAccount(client);
    const before = await recorded();
    const answer = await admin.call('POST', '/v1/accounts/admin-withdrawal', {
      accountId,
      amount: '0.01',
      reason: 'x',
    });
    expect(answer).toMatchObject({ status: 409, body: { code: 'insufficient_funds' } });
    expect(await recorded()).toEqual(before);
  });

  it('succeed exactly as often as the money covers', async () => {
    const { accountId } = await userAccount(client);
    await deposit(accountId, '7.00');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        admin.call('POST', '/v1/accounts/admin-withdrawal', { accountId, amount: '1.00', reason: 'race' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
    expect(answers.filter(({ body }) => body.code === 'insufficient_funds')).toHaveLength(13);
    expect((await balance(client, accountId)).available).toBe('0.00');
  });
});

describe('POST /v1/accounts/offramp-deposit', () => {
  const offramp = (accountId: string, reference: string, amount = '40.00') =>
    admin.call('POST', '/v1/accounts/offramp-deposit', { accountId, amount, reference });

  it('credits the master account and transfers to the account, with one reference', async () => {
    const { accountId } = await userAccount(client, 'GBP');
    const masterId = await master(client, 'GBP');
    const answer = await offramp(accountId, 'off-1');
    expect(answer.status).toBe(201);
    const { referenceId, transactions } = answer.body;
    expect(answer.body).toMatchObject({
      reference: 'off-1',
      accountId,
      masterAccountId: masterId,
      amount: '40.00',
    });
    expect(
      transactions.map((one: Record<string, string>) => [
        one['accountId'],
        one['subtype'],
        one['balanceAfter'],
      ]),
    ).toEqual([
      [masterId, 'offramp', '40.00'],
      [masterId, 'account_out', '0.00'],
      [accountId, 'account_in', '40.00'],
    ]);
    const told = (await eventsOf(referenceId)).map(({ data }) => JSON.parse(data).subtype as string);
    expect(told.sort()).toEqual(['account_in', 'account_out', 'offramp']);
    expect(
      await api.database.query('select action, before, after from audit_log where subject = $1', [accountId]),
    ).toEqual([
      {
        action: 'accounts.offramp-deposit',
        before: { available: '0.00' },
        after: { available: '40.00', referenceId, reference: 'off-1', limit: '1000000' },
      },
    ]);
  });

  it('accepts a reference once per tenant when requests arrive together', async () => {
    const { accountId } = await userAccount(client, 'GBP');
    const answers = await Promise.all(Array.from({ length: 10 }, () => offramp(accountId, 'off-2')));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      expect({ status, code: body.code, field: body.field }).toEqual({
        status: 400,
        code: 'ErrAlreadyExists',
        field: 'reference',
      });
    }
    expect((await balance(client, accountId)).available).toBe('40.00');
    const elsewhere = await userAccount(other, 'GBP');
    expect((await offramp(elsewhere.accountId, 'off-2')).status).toBe(201);
  });

  it('posts only the credit for the master account itself', async () => {
    const fresh = await api.client();
    const masterId = await master(fresh);
    const answer = await offramp(masterId, 'off-3');
    expect(answer.body.transactions).toMatchObject([{ accountId: masterId, subtype: 'offramp' }]);
    expect((await balance(fresh, masterId)).available).toBe('40.00');
  });

  it('leaves the reference of a refused request unused', async () => {
    const { accountId, userId } = await userAccount(client, 'GBP');
    await client.call('PATCH', `/v1/users/${userId}/status`, { status: 'blocked' });
    const before = await recorded();
    expect(await offramp(accountId, 'off-4')).toMatchObject({ status: 409, body: { code: 'user_blocked' } });
    expect(await recorded()).toEqual(before);
    await client.call('PATCH', `/v1/users/${userId}/status`, { status: 'active' });
    expect((await offramp(accountId, 'off-4')).status).toBe(201);
  });
});

describe('POST /v1/users/transfer', () => {
  const transfer = (by: Client, body: unknown, headers?: Record<string, string>) =>
    by.call('POST', '/v1/users/transfer', body, headers);

  it('moves money as two transactions with one reference', async () => {
    const fresh = await api.client();
    const fromAccountId = await master(fresh);
    const { accountId: toAccountId } = await userAccount(fresh);
    await deposit(fromAccountId, '10.00');
    const key = { 'x-idempotency-key': 'transfer-1' };
    const request = { fromAccountId, toAccountId, amount: '2.50', description: 'Pocket money' };
    const answer = await transfer(fresh, request, key);
    expect(answer.status).toBe(201);
    const { referenceId } = answer.body;
    expect(answer.body).toMatchObject({
      id: referenceId,
      fromAccountId,
      toAccountId,
      amount: '2.50',
      currency: 'USD',
      description: 'Pocket money',
      transactions: [
        {
          accountId: fromAccountId,
          type: 'transfer',
          subtype: 'account_out',
          referenceId,
          balanceAfter: '7.50',
        },
        {
          accountId: toAccountId,
          type: 'transfer',
          subtype: 'account_in',
          referenceId,
          balanceAfter: '2.50',
        },
      ],
    });
    const repeat = await transfer(fresh, request, key);
    expect(repeat.text).toBe(answer.text);
    expect((await balance(fresh, fromAccountId)).available).toBe('7.50');
    expect((await eventsOf(referenceId)).map(({ idempotency_key }) => idempotency_key)).toEqual([
      'transfer-1',
      'transfer-1',
    ]);
  });

  it('has one effect for fifty concurrent identical calls', async () => {
    const fresh = await api.client();
    const fromAccountId = await master(fresh);
    const { accountId: toAccountId } = await userAccount(fresh);
    await deposit(fromAccountId, '10.00');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        transfer(fresh, { fromAccountId, toAccountId, amount: '1.00' }, { 'x-idempotency-key': 'fifty' }),
      ),
    );
    const done = answers.filter(({ body }) => body.code !== 'idempotency_in_progress');
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect(done[0]?.status).toBe(201);
    expect((await balance(fresh, toAccountId)).available).toBe('1.00');
  });

  it('works in both directions at once without a deadlock', async () => {
    const fresh = await api.client();
    const [a, b] = await Promise.all([userAccount(fresh), userAccount(fresh)]);
    await Promise.all([deposit(a.accountId, '50.00'), deposit(b.accountId, '50.00')]);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        transfer(fresh, {
          fromAccountId: index % 2 ? a.accountId : b.accountId,
          toAccountId: index % 2 ? b.accountId : a.accountId,
          amount: '1.00',
        }),
      ),
    );
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect((await balance(fresh, a.accountId)).available).toBe('50.00');
  });

  it('refuses transfers against the rules, and records nothing', async () => {
    const fresh = await api.client();
    const usd = await master(fresh);
    const eur = await master(fresh, 'EUR');
    await deposit(usd, '5.00');
    const blocked = await userAccount(fresh);
    await fresh.call('PATCH', `/v1/users/${blocked.userId}/status`, { status: 'blocked' });
    const closed = await userAccount(fresh);
    await api.database.query(`update accounts set status = 'closed' where id = $1`, [closed.accountId]);
    const foreign = await master(other);
    const { accountId: empty } = await userAccount(fresh);
    const cases: [object, number, string, string?][] = [
      [{ toAccountId: eur }, 400, 'invalid_request', 'toAccountId'],
      [{ toAccountId: usd }, 400, 'invalid_request', 'toAccountId'],
      [{ toAccountId: empty, amount: '1.001' }, 400, 'invalid_request', 'amount'],
      [{ toAccountId: foreign }, 404, 'not_found', 'toAccountId'],
      [{ fromAccountId: foreign, toAccountId: usd }, 404, 'not_found', 'fromAccountId'],
      [{ toAccountId: UNKNOWN }, 404, 'not_found', 'toAccountId'],
      [{ fromAccountId: 'nonsense\u0000', toAccountId: usd }, 404, 'not_found', 'fromAccountId'],
      [{ toAccountId: blocked.accountId }, 409, 'user_blocked', 'toAccountId'],
      [{ toAccountId: closed.accountId }, 409, 'account_closed', 'toAccountId'],
      [{ fromAccountId: closed.accountId, toAccountId: usd }, 409, 'account_closed', 'fromAccountId'],
      [{ toAccountId: empty, amount: '5.01' }, 409, 'insufficient_funds', 'amount'],
      [{ toAccountId: empty, amount: '999999999999999.99' }, 409, 'insufficient_funds', 'amount'],
    ];
    const before = await recorded();
    for (const [change, status, code, field] of cases) {
      const answer = await transfer(fresh, { fromAccountId: usd, amount: '1.00', ...change });
      expect({ change, status: answer.status, ...answer.body }).toMatchObject({
        change,
        status,
        code,
        field,
      });
    }
    expect(await recorded()).toEqual(before);
    expect((await balance(fresh, usd)).available).toBe('5.00');
  });

  it('stores a refusal under its key', async () => {
    const fresh = await api.client();
    const fromAccountId = await master(fresh);
    const { accountId: toAccountId } = await userAccount(fresh);
    const key = { 'x-idempotency-key': 'refused' };
    const body = { fromAccountId, toAccountId, amount: '1.00' };
    const refused = await transfer(fresh, body, key);
    await deposit(fromAccountId, '10.00');
    const repeat = await transfer(fresh, body, key);
    expect(refused.status).toBe(409);
    expect(repeat.text).toBe(refused.text);
    expect((await balance(fresh, fromAccountId)).available).toBe('10.00');
  });

  it('refuses a transfer between tenants even to an admin', async () => {
    const fromAccountId = await master(client);
    const toAccountId = await master(other);
    await deposit(fromAccountId, '1.00');
    const answer = await transfer(admin, { fromAccountId, toAccountId, amount: '1.00' });
    expect(answer).toMatchObject({ status: 404, body: { field: 'toAccountId' } });
    const within = await transfer(admin, {
      fromAccountId,
      toAccountId: (await userAccount(client)).accountId,
      amount: '1.00',
    });
    expect(within.status).toBe(201);
    expect(
      await api.database.query('select action, tenant_id from audit_log where subject = $1', [
        within.body.id,
      ]),
    ).toEqual([{ action: 'users.transfer', tenant_id: client.clientId }]);
  });
});

describe('bad input', () => {
  const amounts: unknown[] = [
    undefined,
    1,
    '0',
    '0.00',
    '-1.00',
    '1e3',
    '1.',
    '.5',
    ' 1',
    '1,00',
    'NaN',
    '1000000000000000',
    '0.0000000000000000001',
    null,
  ];
  const paths: [string, string][] = [
    ['/v1/accounts/admin-deposit', 'reason'],
    ['/v1/accounts/admin-withdrawal', 'reason'],
    ['/v1/accounts/offramp-deposit', 'reference'],
    ['/v1/users/transfer', 'description'],
  ];

  it.each(paths)('POST %s names the field at fault and records nothing', async (path, note) => {
    const accountId = await master(client);
    const { accountId: second } = await userAccount(client);
    const ids = path.endsWith('transfer') ? { fromAccountId: accountId, toAccountId: second } : { accountId };
    const good: Record<string, unknown> = { ...ids, amount: '1.00', [note]: 'note' };
    const [idField = ''] = Object.keys(ids);
    const before = await recorded();
    const refused = async (body: unknown, field: string) =>
      expect((await admin.call('POST', path, body)) as object).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', field },
      });
    for (const amount of amounts) await refused({ ...good, amount }, 'amount');
    await refused({ ...good, amount: '1.001' }, 'amount'); // more decimals than USD
    await refused({ ...good, extra: 1 }, 'extra');
    await refused({ ...good, [idField]: undefined }, idField);
    await refused({ ...good, [idField]: 5 }, idField);
    await refused({ ...good, [note]: { a: 1 } }, note);
    await refused({ ...good, [note]: 'line\nbreak' }, note);
    await refused({ ...good, [note]: 'x'.repeat(501) }, note);
    for (const id of [UNKNOWN, 'nonsense', '\u0000']) {
      const unknown = await admin.call('POST', path, { ...good, [idField]: id });
      expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found', field: idField } });
    }
    expect((await admin.call('POST', path, '{')).status).toBe(400);
    expect((await admin.call('POST', path, 'a=1', { 'content-type': 'text/csv' })).status).toBe(415);
    expect((await admin.call('POST', path, { ...good, [note]: 'x'.repeat(1024 * 1024) })).status).toBe(413);
    expect((await admin.call('PUT', path, good)).status).toBe(405);
    expect(await recorded()).toEqual(before);
  });

  it.each([
    '/v1/accounts?currency=XXX',
    '/v1/accounts?status=gone',
    '/v1/accounts?ownerType=bank',
    '/v1/accounts?limit=none',
    '/v1/accounts?cursor=e30',
    '/v2/accounts?limit=1000',
  ])('GET %s is a 400', async (path) => {
    const field = /\?(\w+)=/.exec(path)?.[1];
    expect(await client.call('GET', path)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', field },
    });
  });

  it.each(['type=pending', 'from=yesterday', 'to=2026-02-30', 'limit=0', 'cursor=e30', 'subtype=%00'])(
    'GET …/transactions?%s is a 400',
    async (query) => {
      const field = query.split('=')[0];
      const answer = await client.call('GET', `/v1/accounts/${await master(client)}/transactions?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', field } });
    },
  );

  it('refuses cursors of other lists and forged ones', async () => {
    const id = await master(client);
    const forged = (...parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const at = '2026-01-01T00:00:00.000Z';
    for (const cursor of [
      forged(id),
      forged('yesterday', id, '1'),
      forged('2026-99-01T00:00:00.000Z', id, '1'),
      forged(at, '\u0000', '1'),
      forged(at, id, '-1'),
      forged(at, id, '99999999999999999999'),
    ]) {
      const answer = await client.call('GET', `/v1/accounts/${id}/transactions?cursor=${cursor}`);
      expect(answer).toMatchObject({ status: 400, body: { field: 'cursor' } });
    }
  });

  it('answers 404 for accounts of another tenant, and unknown or malformed ids', async () => {
    const foreign = await master(other);
    for (const id of [foreign, UNKNOWN, 'nonsense', '%00']) {
      for (const path of [`/v1/accounts/${id}/transactions`, `/v2/accounts/${id}/balance`]) {
        expect(await client.call('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      }
    }
    expect((await admin.call('GET', `/v2/accounts/${foreign}/balance`)).status).toBe(200);
    expect((await admin.call('GET', `/v1/accounts/${foreign}/transactions`)).status).toBe(200);
  });
});
