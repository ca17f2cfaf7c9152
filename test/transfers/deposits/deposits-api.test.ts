import { randomUUID } from 'node:crypto';
import { newId } from '../../../src/kernel/ids';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { accountBalance } from '../../cards/cards/support';
import { masterAccount } from '../../support/cards';
import {
  completed,
  created,
  type DepositWorld,
  depositWorld,
  inShort,
  look,
  payable,
  quoted,
  RETURN_URL,
  read,
  toldOf,
} from './support';

let world: DepositWorld;
beforeAll(async () => {
  world = await depositWorld();
});
beforeEach(async () => {
  world.client = await world.api.client();
  world.clock.ahead = 0;
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const key = () => ({ 'x-idempotency-key': randomUUID() });

describe('funding options', () => {
  it('are those of the tenant’s programme', async () => {
    const { client } = world;
    const accountId = await masterAccount(client);
    const { status, body } = await client.call('GET', `/v2/accounts/${accountId}/funding-options`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ hasMore: false, nextCursor: null });
    expect(body.data).toContainEqual({
      method: 'card',
      currency: 'USD',
      min: '1.00',
      max: '10000.00',
      feeFixed: '0.30',
      feePercent: '2.9',
      estimatedTime: 'PT5M',
    });
    expect(new Set(body.data.map(({ method }: { method: string }) => method))).toEqual(
      new Set(['card', 'bank_transfer', 'crypto']),
    );
    const other = await world.api.client();
    expect((await other.call('GET', `/v2/accounts/${accountId}/funding-options`)).status).toBe(404);
  });
});

describe('POST deposit-quote', () => {
  it('prices a deposit: charged = credited + fee', async () => {
    const { status, body } = await quoted(world.client);
    expect(status).toBe(201);
    expect(body).toEqual({
      quoteId: expect.stringMatching(/^quo_[0-9a-z]{26}$/),
      method: 'card',
      amount: '100.00',
      currency: 'USD',
      chargedAmount: '100.00',
      creditedAmount: '96.80',
      serviceFee: '3.20',
      creditedCurrency: 'USD',
      rate: '1',
      expiresAt: expect.stringMatching(/Z$/),
    });
  });

  it.each([
    ['card', '33.33', 'EUR', 'USD'],
    ['card', '9999.99', 'GBP', 'EUR'],
    ['bank_transfer', '12345.67', 'USD', 'GBP'],
    ['crypto', '123.456789', 'USDT', 'EUR'],
    ['card', '1.00', 'USD', 'USD'],
  ])(
    'adds up to the minor unit for %s %s %s on an account in %s',
    async (method, amount, currency, account) => {
      const { body } = await quoted(world.client, { method, amount, currency, account });
      const [charged, rate, credited, fee] = ['chargedAmount', 'rate', 'creditedAmount', 'serviceFee'].map(
        (name) => new Decimal(body[name]),
      ) as [Decimal, Decimal, Decimal, Decimal];
      expect(charged.times(rate).toFixed(2)).toBe(credited.plus(fee).toFixed(2));
      expect(body.creditedCurrency).toBe(account);
    },
  );

  it.each([
    [{ method: 'cheque' }, 'method'],
    [{ amount: '0.50' }, 'amount'],
    [{ amount: '10000.01' }, 'amount'],
    [{ amount: '10.001' }, 'amount'],
    [{ amount: '1e3' }, 'amount'],
    [{ currency: 'XXQ' }, 'currency'],
    [{ currency: 'JPY', amount: '100' }, 'currency'],
    [{ method: 'crypto' }, 'currency'],
  ])('refuses %j, naming the field', async (asked, field) => {
    const answer = await quoted(world.client, asked);
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, 'invalid_request', field]);
  });
});

describe('POST deposits', () => {
  it('creates a deposit with our checkoutUrl, and starts its workflow', async () => {
    const { api, client } = world;
    const { id, accountId, body } = await created(client, { externalId: 'order-7' });
    expect(body).toEqual({
      id: expect.stringMatching(/^dep_[0-9a-z]{26}$/),
      accountId,
      externalId: 'order-7',
      quoteId: expect.any(String),
      status: 'created',
      method: 'card',
      amount: '100.00',
      currency: 'USD',
      chargedAmount: '100.00',
      chargedCurrency: 'USD',
      creditedAmount: '96.80',
      serviceFee: '3.20',
      creditedCurrency: 'USD',
      quoted: { charged: '100.00', credited: '96.80', fee: '3.20' },
      rate: '1',
      referenceId: expect.stringMatching(/^ref_/),
      checkoutUrl: expect.stringMatching(/^https:\/\/cards\.example\/checkout\/[\w-]{43}$/),
      returnUrl: RETURN_URL,
      expiresAt: new Date(Date.parse(body['createdAt']) + 30 * 60_000).toISOString(),
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: body['createdAt'],
    });
    expect(await read(client, { id, accountId })).toEqual(body);
    expect(api.commands.filter(({ args }) => args[0] === id)).toMatchObject([
      { workflow: 'depositLifecycle', workflowId: `deposit-${id}`, action: 'start' },
    ]);
  });

  it('stores neither token nor checkoutUrl, and repeats the answer byte for byte', async () => {
    const { api, client } = world;
    const { body, accountId } = await quoted(client);
    const path = `/v2/accounts/${accountId}/deposits`;
    const [given, headers] = [{ quoteId: body.quoteId, returnUrl: RETURN_URL }, key()];
    const first = await client.call('POST', path, given, headers);
    const again = await client.call('POST', path, given, headers);
    expect([again.status, again.text, again.headers.get('x-idempotent-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ]);
    const token = String(first.body.checkoutUrl).split('/').at(-1) ?? '';
    const dump = await api.database.query(
      `select (select string_agg(k::text, '') from idempotency_keys k) ||
              (select string_agg(d::text, '') from deposits d) || (select string_agg(t::text, '') from transfers t where tenant_id = $1) as text`,
      [client.clientId],
    );
    expect(JSON.stringify(dump)).toContain(first.body.id);
    expect(JSON.stringify(dump)).not.toContain(token);
    const one = await api.database.query('select 1 from transfers where tenant_id = $1', [client.clientId]);
    expect(one).toHaveLength(1);
  });

  it('requires an idempotency key', async () => {
    const { body, accountId } = await quoted(world.client);
    const answer = await world.client.call('POST', `/v2/accounts/${accountId}/deposits`, {
      quoteId: body.quoteId,
      returnUrl: RETURN_URL,
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'idempotency_key_required']);
  });

  it.each([
    ['http://shop.example/thanks', 400],
    ['javascript:alert(1)', 400],
    ['shop.example', 400],
    ['https://user:secret@shop.example/', 400],
    ['http://127.0.0.1:3000/thanks', 201],
    ['http://localhost/thanks', 201],
    ['https://shop.example/\tthanks', 400],
    [`https://shop.example/${'中'.repeat(300)}`, 400],
  ])('answers returnUrl %s with %i', async (returnUrl, status) => {
    const { body, accountId } = await quoted(world.client);
    const path = `/v2/accounts/${accountId}/deposits`;
    const answer = await world.client.call('POST', path, { quoteId: body.quoteId, returnUrl }, key());
    expect([answer.status, answer.body.field]).toEqual([status, status === 400 ? 'returnUrl' : undefined]);
  });

  it('stores returnUrl in ASCII', async () => {
    const { body, accountId } = await quoted(world.client);
    const path = `/v2/accounts/${accountId}/deposits`;
    const given = { quoteId: body.quoteId, returnUrl: 'https://bücher.example/中文' };
    const made = await world.client.call('POST', path, given, key());
    expect([made.status, made.body.returnUrl]).toEqual([
      ...[201, 'https://xn--bcher-kva.example/%E4%B8%AD%E6%96%87'],
    ]);
    expect((await world.client.call('GET', `${path}/${made.body.id}`)).body.returnUrl).toBe(
      made.body.returnUrl,
    );
  });

  it('uses a quote once when many requests arrive together', async () => {
    const { client } = world;
    const { body, accountId } = await quoted(client);
    const path = `/v2/accounts/${accountId}/deposits`;
    const given = { quoteId: body.quoteId, returnUrl: RETURN_URL };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.call('POST', path, given, key())),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(
      new Set(answers.filter(({ status }) => status === 409).map(({ body: refusal }) => refusal.code)),
    ).toEqual(new Set(['quote_used']));
  });

  it('refuses an expired quote, and a quote of another account or kind', async () => {
    const { client, clock } = world;
    const { body, accountId } = await quoted(client);
    const post = (account: string, quoteId: string) =>
      client.call('POST', `/v2/accounts/${account}/deposits`, { quoteId, returnUrl: RETURN_URL }, key());
    const eur = await masterAccount(client, 'EUR');
    expect((await post(eur, body.quoteId)).body).toMatchObject({ code: 'not_found', field: 'quoteId' });
    expect((await post(accountId, newId('quote'))).body).toMatchObject({
      code: 'not_found',
      field: 'quoteId',
    });
    expect((await post(accountId, 'nonsense')).body).toMatchObject({ code: 'not_found', field: 'quoteId' });
    clock.ahead = 15 * 60_000;
    expect((await post(accountId, body.quoteId)).body).toMatchObject({
      code: 'quote_expired',
      field: 'quoteId',
    });
  });

  it('refuses a blocked user and a closed account', async () => {
    const { api, client } = world;
    const user = (await client.call('POST', '/v1/users', { meta: {} })).body.id;
    const accountId = (await client.call('POST', `/v1/users/${user}/accounts`, { currency: 'USD' })).body.id;
    const quote = await client.call('POST', `/v2/accounts/${accountId}/deposit-quote`, {
      method: 'card',
      amount: '5',
    });
    const post = () =>
      client.call(
        'POST',
        `/v2/accounts/${accountId}/deposits`,
        { quoteId: quote.body.quoteId, returnUrl: RETURN_URL },
        key(),
      );
    await client.call('PATCH', `/v1/users/${user}/status`, { status: 'blocked' });
    expect((await post()).body.code).toBe('user_blocked');
    await api.database.query(`update accounts set status = 'closed' where id = $1`, [accountId]);
    expect((await post()).body.code).toBe('account_closed');
  });
});

describe('GET deposits', () => {
  it('is 404 for another tenant, account or id', async () => {
    const { api, client } = world;
    const { id, accountId } = await created(client);
    const other = await api.client();
    const eur = await masterAccount(client, 'EUR');
    for (const [who, path] of [
      [other, `/v2/accounts/${accountId}/deposits/${id}`],
      [other, `/v2/accounts/${accountId}/deposits`],
      [client, `/v2/accounts/${eur}/deposits/${id}`],
      [client, `/v2/accounts/${accountId}/deposits/${newId('deposit')}`],
      [client, `/v2/accounts/${accountId}/deposits/nonsense`],
    ] as const)
      expect((await who.call('GET', path)).status).toBe(404);
    const admin = await api.client('admin');
    expect((await admin.call('GET', `/v2/accounts/${accountId}/deposits/${id}`)).status).toBe(200);
  });

  it('lists by pages and filters', async () => {
    const { client } = world;
    const first = await created(client, { externalId: 'a' });
    const second = await created(client, { method: 'bank_transfer' });
    const third = await created(client);
    await look(world, third.id);
    const list = async (query: string) =>
      (await client.call('GET', `/v2/accounts/${first.accountId}/deposits?${query}`)).body;
    const ids = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([third.id, second.id, first.id]);
    const page = await list('limit=2');
    expect([page.hasMore, page.data.length]).toEqual([true, 2]);
    expect(await ids(`limit=2&cursor=${page.nextCursor}`)).toEqual([first.id]);
    expect(await ids('status=awaiting_payment')).toEqual([third.id]);
    expect(await ids('method=bank_transfer')).toEqual([second.id]);
    expect(await ids('externalId=a')).toEqual([first.id]);
    expect(await ids(`to=${first.body['createdAt']}`)).toEqual([]);
    expect(await ids(`from=${second.body['createdAt']}`)).toEqual([third.id, second.id]);
  });
});

describe('/checkout/{token}', () => {
  const visit = (checkoutUrl: string, method = 'GET') =>
    fetch(world.api.url + new URL(checkoutUrl).pathname, { method, redirect: 'manual' });

  it('redirects to the party’s page while it can be paid', async () => {
    const { body, session } = await payable(world);
    const answer = await visit(body['checkoutUrl']);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `https://pay.example/${session.sessionId}`,
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await answer.text()).toBe('');
    expect((await visit(body['checkoutUrl'], 'HEAD')).status).toBe(303);
  });

  it.each([
    ['while it is being prepared', 200, /being prepared/, async () => created(world.client)],
    [
      'after it has expired',
      410,
      /expired/,
      async () => {
        const deposit = await payable(world);
        world.clock.ahead = 31 * 60_000;
        return deposit;
      },
    ],
    ['after its end', 410, /finished/, async () => completed(world)],
    [
      'with an unknown token',
      404,
      /not known/,
      async () => ({ body: { checkoutUrl: 'https://x/checkout/AAAA' } }),
    ],
  ])('shows a page of ours %s', async (_, status, words, made) => {
    const { body } = await made();
    const answer = await visit(body['checkoutUrl']);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const page = await answer.text();
    expect(page).toMatch(words);
    expect(page).not.toContain('pay.example');
  });

  it('changes nothing when it is visited', async () => {
    const { body, id, accountId } = await payable(world);
    for (let visits = 0; visits < 3; visits += 1) await visit(body['checkoutUrl']);
    expect((await read(world.client, { id, accountId })).status).toBe('awaiting_payment');
  });
});

it('a settled deposit is credited and completed at once, with both webhooks under the key of the call', async () => {
  const { api, client } = world;
  const { id, accountId } = await completed(world);
  const deposit = await read(client, { id, accountId });
  expect(deposit).toMatchObject({ status: 'completed', completedAt: expect.any(String) });
  expect(deposit.checkoutUrl).toBeUndefined();
  expect(await accountBalance(client, accountId)).toBe('96.80 0.00');
  const told = await toldOf(api, client);
  expect(inShort(told)).toEqual(['deposit/checkout 96.80', 'account.deposit.completed']);
  expect(told[0]?.data).toMatchObject({ accountId, referenceId: deposit.referenceId });
  expect(told[1]?.data).toEqual({
    id,
    status: 'completed',
    method: 'card',
    accountId,
    amount: '100.00',
    currency: 'USD',
    chargedAmount: '100.00',
    chargedCurrency: 'USD',
    creditedAmount: '96.80',
    creditedCurrency: 'USD',
    serviceFee: '3.20',
    quoted: { charged: '100.00', credited: '96.80', fee: '3.20' },
    createdAt: deposit.createdAt,
    completedAt: deposit.completedAt,
  });
  expect(new Set(told.map(({ key: of }) => of)).size).toBe(1);
  expect(told[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
});
