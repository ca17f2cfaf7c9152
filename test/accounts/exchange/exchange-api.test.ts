import { fold, sum } from '../../../client/src';
import { tell } from '../../../src/desk/tell';
import { deskCatalogue } from '../../../src/desk-catalogue';
import { keyName } from '../../../src/kernel/idempotency';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { setUserStatus } from '../../../src/people/users/operations';
import { type Answer, type Client, type TestApi, testApi } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';
import { pastGuards } from '../../support/database';

let api: TestApi;
let client: Client;
let other: Client;
let admin: Client;
let eur: string;
let usd: string;
beforeAll(async () => {
  api = await testApi();
  [other, admin] = await Promise.all([api.client(), api.client('admin')]);
});
beforeEach(async () => {
  client = await api.client();
  [eur, usd] = [await masterAccount(client, 'EUR'), await masterAccount(client, 'USD')];
  await fund(api, eur, '1000.00');
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const UNKNOWN = 'acc_01h455vb4pex5vsknk084sn02q';

const quote = (by: Client, from: string, asked: object): Promise<Answer> =>
  by.call('POST', `/v2/accounts/${from}/exchange-quote`, asked);
async function quoted(amount = '100.01', more: object = {}): Promise<string> {
  const { status, body, text } = await quote(client, eur, { toAccountId: usd, amount, ...more });
  if (status !== 201) throw new Error(text);
  return body.quoteId;
}
let keys = 0;
const newKey = () => ({ 'x-idempotency-key': `exchange-${(keys += 1)}` });
const exchange = (by: Client, from: string, quoteId: string, key: Record<string, string> = newKey()) =>
  by.call('POST', `/v2/accounts/${from}/exchanges`, { quoteId }, key);
const storedName = (from: string, key: ReturnType<typeof newKey>) =>
  keyName(client.clientId, `POST /v2/accounts/${from}/exchanges`, key['x-idempotency-key']);
const available = async (id: string) =>
  (await admin.call('GET', `/v2/accounts/${id}/balance`)).body.available as string;
const recorded = () =>
  api.database.query(
    `select (select count(*) from ledger_legs) as legs, (select count(*) from events) as events,
            (select count(*) from audit_log) as audit, (select count(*) from account_exchanges) as exchanges,
            (select count(*) from quotes where used_by is not null) as taken, (select count(*) from quotes) as quotes`,
  );
/** Settings as the operator's command line sets them. */
const settings = (values: object) =>
  api.database.query(
    `update tenants set settings = settings || jsonb_build_object('exchange', $2::jsonb) where id = $1`,
    [client.clientId, JSON.stringify(values)],
  );
async function userAccount(currency: string) {
  const { id: userId } = (await client.call('POST', '/v1/users', {})).body;
  const { id } = (await client.call('POST', `/v1/users/${userId}/accounts`, { currency })).body;
  return { userId: userId as string, id: id as string };
}

describe('exchange-quote', () => {
  it('quotes a sale at the bid, and moves nothing', async () => {
    const { status, body } = await quote(client, eur, { toAccountId: usd, amount: '100.01' });
    expect([status, body]).toEqual([
      201,
      {
        quoteId: expect.stringMatching(/^quo_/),
        toAccountId: usd,
        side: 'sell',
        sellAmount: '100.01',
        sellCurrency: 'EUR',
        buyAmount: '107.90',
        buyCurrency: 'USD',
        fee: '0.00',
        // 1 EUR is 1.08 USD; the bid is 0.1 % below.
        rate: '1.07892',
        mid: '1.08',
        expiresAt: expect.stringMatching(/Z$/),
      },
    ]);
    const [times] = await api.database.query(
      `select extract(epoch from expires_at - created_at)::int as seconds from quotes where id = $1`,
      [body.quoteId],
    );
    expect(times).toEqual({ seconds: 30 });
    expect([await available(eur), await available(usd)]).toEqual(['1000.00', '0.00']);
  });

  it('quotes a purchase with the tenant’s spread and fees', async () => {
    await settings({ spreadBps: 25, feePercent: '1', feeFixed: [{ currency: 'EUR', amount: '0.30' }] });
    const { body } = await quote(client, eur, { toAccountId: usd, amount: '100.00', side: 'buy' });
    // 100 / 1.0762227 is 92.92 EUR rounded up; (92.92 + 0.30) / 0.99 is 94.17 rounded up.
    expect(body).toMatchObject({
      side: 'buy',
      rate: '1.0762227',
      mid: '1.08',
      buyAmount: '100.00',
      sellAmount: '94.17',
      fee: '1.25',
    });
  });

  it('names the field at fault, and stores nothing', async () => {
    const foreign = await masterAccount(other, 'USD');
    const dram = await userAccount('AMD');
    const before = await recorded();
    const cases: [object, number, string, string?][] = [
      [{ toAccountId: eur }, 400, 'invalid_request', 'toAccountId'],
      [{ toAccountId: (await userAccount('EUR')).id }, 400, 'invalid_request', 'toAccountId'],
      [{ toAccountId: foreign }, 404, 'not_found', 'toAccountId'],
      [{ toAccountId: UNKNOWN }, 404, 'not_found', 'toAccountId'],
      [{ toAccountId: 'nonsense\u0000' }, 404, 'not_found', 'toAccountId'],
      [{ amount: '0' }, 400, 'invalid_request', 'amount'],
      [{ amount: 1 }, 400, 'invalid_request', 'amount'],
      [{ amount: '1.001' }, 400, 'invalid_request', 'amount'],
      [{ side: 'hold' }, 400, 'invalid_request', 'side'],
      [{ rate: '2' }, 400, 'invalid_request', 'rate'],
      [{ toAccountId: dram.id }, 503, 'unavailable'],
    ];
    for (const [change, status, code, field] of cases) {
      const answer = await quote(client, eur, { toAccountId: usd, amount: '1.00', ...change });
      expect({ change, status: answer.status, ...answer.body }).toMatchObject({ change, status, code });
      expect([change, answer.body.field]).toEqual([change, field]);
    }
    expect(await recorded()).toEqual(before);
  });

  it('refuses an amount that buys nothing, naming `amount`', async () => {
    const rupiah = await userAccount('IDR');
    const { status, body } = await quote(client, rupiah.id, { toAccountId: usd, amount: '100.00' });
    expect([status, body.code, body.field]).toEqual([400, 'invalid_request', 'amount']);
  });

  it('refuses the account of another tenant', async () => {
    for (const from of [eur, UNKNOWN, 'nonsense'])
      expect((await quote(other, from, { toAccountId: usd, amount: '1.00' })).status).toBe(404);
  });
});

describe('exchanges', () => {
  it('executes at once through the FX position in one posting, with an event per account transaction', async () => {
    await settings({ feePercent: '1' });
    const quoteId = await quoted();
    const { status, body } = await exchange(client, eur, quoteId, { 'x-idempotency-key': 'travels' });
    const transaction = (
      accountId: string,
      currency: string,
      kind: string,
      amount: string,
      balance: string,
    ) => ({
      id: expect.stringMatching(/^atx_/),
      accountId,
      currency,
      amount,
      type: kind.split('/')[0],
      subtype: kind.split('/')[1],
      referenceId: body.id,
      balanceAfter: balance,
      timestamp: body.createdAt,
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^exc_[0-9a-z]{26}$/),
        referenceId: body.id,
        quoteId,
        fromAccountId: eur,
        toAccountId: usd,
        sellAmount: '100.01',
        sellCurrency: 'EUR',
        buyAmount: '106.81',
        buyCurrency: 'USD',
        fee: '1.01',
        rate: '1.07892',
        mid: '1.08',
        transactions: [
          transaction(eur, 'EUR', 'transfer/exchange_out', '99.00', '901.00'),
          transaction(eur, 'EUR', 'fee/exchange_fee', '1.01', '899.99'),
          transaction(usd, 'USD', 'transfer/exchange_in', '106.81', '106.81'),
        ],
        createdAt: expect.stringMatching(/Z$/),
      },
    ]);
    const legs = await api.database.query<{ posting_id: string }>(
      `select posting_id, account_id, trim_scale(available)::text as received from ledger_legs
        where reference_id = $1 and number is null order by account_id`,
      [body.id],
    );
    expect(legs.map(({ posting_id: _, ...leg }) => leg)).toEqual([
      { account_id: 'fees:EUR', received: '1.01' },
      { account_id: 'fx_position:EUR', received: '99' },
      { account_id: 'fx_position:USD', received: '-106.81' },
    ]);
    const postings = 'select distinct posting_id from ledger_legs where reference_id = $1';
    expect(await api.database.query(postings, [body.id])).toHaveLength(1);
    // 99.00 × 1.07892 is 106.81308.
    const kept = 'select trim_scale(remainder)::text as remainder from account_exchanges where id = $1';
    expect(await api.database.query(kept, [body.id])).toEqual([{ remainder: '0.00308' }]);
    const events = await api.database.query<{ data: string }>(
      'select data, idempotency_key as key from events where reference_id = $1 order by number',
      [body.id],
    );
    expect(events.map(({ data, ...event }) => ({ ...event, id: JSON.parse(data).id }))).toEqual(
      body.transactions.map(({ id }: { id: string }) => ({ id, key: 'travels' })),
    );
  });

  it('adds up to the balances, there and back, and never above the beginning', async () => {
    const { id: rupiah } = await userAccount('IDR');
    await exchange(client, eur, await quoted('1000.00', { toAccountId: rupiah }));
    const held = await available(rupiah);
    const back = await quote(client, rupiah, { toAccountId: eur, amount: held });
    await exchange(client, rupiah, back.body.quoteId);
    expect(await available(rupiah)).toBe('0.00');
    expect(new Decimal(await available(eur)).lt(1000)).toBe(true);
    const events = await api.database.query<{ event: string; data: string }>(
      'select event, data from events where tenant_id = $1',
      [client.clientId],
    );
    const folds = fold(events.map(({ event, data }) => ({ event, data: JSON.parse(data) as object })));
    for (const id of [eur, rupiah]) {
      const { available: told = '', pending = '' } = folds.get(id) ?? {};
      expect(sum(told, pending)).toBe(await available(id));
    }
  });

  it('requires a key, which stays valid for ever', async () => {
    const quoteId = await quoted();
    const without = await client.call('POST', `/v2/accounts/${eur}/exchanges`, { quoteId });
    expect([without.status, without.body.code]).toEqual([400, 'idempotency_key_required']);
    const key = newKey();
    const first = await exchange(client, eur, quoteId, key);
    const again = await exchange(client, eur, quoteId, key);
    expect([again.status, again.text, again.headers.get('x-idempotent-replayed')]).toEqual([
      ...[201, first.text, 'true'],
    ]);
    const stored = 'select permanent from idempotency_keys where name = $1';
    expect(await api.database.query(stored, [storedName(eur, key)])).toEqual([{ permanent: true }]);
    expect((await exchange(client, eur, await quoted(), key)).body.code).toBe('idempotency_mismatch');
    expect(await available(eur)).toBe('899.99');
  });

  it('keeps its key on the record, even if the stored answer is gone', async () => {
    const key = newKey();
    expect((await exchange(client, eur, await quoted(), key)).status).toBe(201);
    await pastGuards(api.database, `delete from idempotency_keys where name = '${storedName(eur, key)}'`);
    const again = await exchange(client, eur, await quoted(), key);
    expect([again.status, again.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect(await available(eur)).toBe('899.99');
  });

  it('executes once when fifty calls with different keys take one quote', async () => {
    const quoteId = await quoted();
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(client, eur, quoteId)));
    const codes = answers.map(({ status, body }) => (status === 201 ? 'made' : `${status} ${body.code}`));
    expect(codes.sort()).toEqual([...Array(49).fill('409 quote_used'), 'made']);
    expect([await available(eur), await available(usd)]).toEqual(['899.99', '107.90']);
  });

  it('executes once when fifty calls share a key, and all answers are equal', async () => {
    const [quoteId, key] = [await quoted(), newKey()];
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(client, eur, quoteId, key)));
    const done = answers.filter(({ body }) => body.code !== 'idempotency_in_progress');
    expect([new Set(done.map(({ text }) => text)).size, done[0]?.status]).toEqual([1, 201]);
    expect([await available(eur), await available(usd)]).toEqual(['899.99', '107.90']);
  });

  it('works in both directions at once without a deadlock', async () => {
    await fund(api, usd, '1000.00');
    const there = await Promise.all(Array.from({ length: 10 }, () => quoted('1.00')));
    const back = await Promise.all(
      there.map(async () => (await quote(client, usd, { toAccountId: eur, amount: '1.00' })).body.quoteId),
    );
    const answers = await Promise.all([
      ...there.map((id) => exchange(client, eur, id)),
      ...back.map((id) => exchange(client, usd, id)),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  });
});

describe('refusals of exchanges', () => {
  /** Refused, with no trace but the answer under its key. */
  async function refused(quoteId: string, status: number, code: string, by = client, from = eur) {
    const before = await recorded();
    const answer = await exchange(by, from, quoteId);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(await recorded()).toEqual(before);
    return answer;
  }

  it('without the money leave the quote for another key', async () => {
    const [quoteId, key] = [await quoted('1000.01'), newKey()];
    const before = await recorded();
    const answer = await exchange(client, eur, quoteId, key);
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([
      409,
      'insufficient_funds',
      'quoteId',
    ]);
    expect(await recorded()).toEqual(before);
    await fund(api, eur, '0.01');
    expect((await exchange(client, eur, quoteId, key)).text).toBe(answer.text);
    expect((await exchange(client, eur, quoteId)).status).toBe(201);
    expect(await available(eur)).toBe('0.00');
  });

  it('without the money for the fee', async () => {
    await settings({ feeFixed: [{ currency: 'EUR', amount: '5.00' }] });
    const { body } = await quote(client, eur, { toAccountId: usd, amount: '1074.00', side: 'buy' });
    expect([body.sellAmount, body.fee]).toEqual(['1000.44', '5.00']);
    await refused(body.quoteId, 409, 'insufficient_funds');
  });

  it('with a quote that has expired, was used, or belongs to another account', async () => {
    const expired = await quoted();
    await api.database.query('update quotes set expires_at = created_at where id = $1', [expired]);
    expect((await refused(expired, 409, 'quote_expired')).body.field).toBe('quoteId');
    const used = await quoted();
    await exchange(client, eur, used);
    await refused(used, 409, 'quote_used');
    const mine = await quoted();
    for (const [by, from] of [
      [client, usd],
      [other, await masterAccount(other, 'EUR')],
    ] as const)
      expect((await refused(mine, 404, 'not_found', by, from)).body.field).toBe('quoteId');
    expect((await refused(mine, 404, 'not_found', other, eur)).body.field).toBeUndefined();
    await refused('quo_nonsense', 404, 'not_found');
    const payout = await client.call('POST', `/v2/accounts/${eur}/payout-quote`, {
      method: 'sepa',
      amount: '9.00',
    });
    await refused(payout.body.quoteId, 404, 'not_found');
    expect((await exchange(client, eur, mine)).status).toBe(201);
  });

  it('with a closed account or a blocked user', async () => {
    const account = await userAccount('USD');
    const quoteId = await quoted('10.00', { toAccountId: account.id });
    const set = (status: 'blocked' | 'active') =>
      api.database.transaction((tx) =>
        setUserStatus(api.services, tx, null, account.userId, status, undefined),
      );
    await set('blocked');
    await refused(quoteId, 409, 'user_blocked');
    await set('active');
    for (const id of [account.id, eur]) {
      const become = (status: string) =>
        api.database.query('update accounts set status = $2 where id = $1', [id, status]);
      await become('closed');
      await refused(quoteId, 409, 'account_closed');
      await become('active');
    }
    expect((await exchange(client, eur, quoteId)).status).toBe(201);
    expect(await available(account.id)).toBe('10.78');
  });
});

describe('for the operator', () => {
  it('records an admin’s exchange in the audit log, under the admin’s own key', async () => {
    const [quoteId, key] = [await quoted(), newKey()];
    const { body } = await exchange(admin, eur, quoteId, key);
    const audit = 'select tenant_id, after from audit_log where action = $1 and subject = $2';
    expect(await api.database.query(audit, ['accounts.exchange', body.id])).toEqual([
      {
        tenant_id: client.clientId,
        after: expect.objectContaining({ sellAmount: '100.01', buyAmount: '107.90' }),
      },
    ]);
    expect((await exchange(client, eur, await quoted(), key)).status).toBe(201);
  });

  it('refuses an admin’s exchange between tenants', async () => {
    const foreign = await masterAccount(other, 'USD');
    const { status, body } = await quote(admin, eur, { toAccountId: foreign, amount: '1.00' });
    expect([status, body.field]).toEqual([404, 'toAccountId']);
  });

  it('shows the rounding remainder, the entries and the events in the story of an exchange', async () => {
    const { body } = await exchange(client, eur, await quoted());
    const story = await tell(deskCatalogue(api.services), api.services, { id: body.id, limit: 10 });
    expect(story).toMatchObject({
      id: body.id,
      what: 'account exchange',
      tenantId: client.clientId,
      status: 'completed',
      record: { sellAmount: '100.01', buyAmount: '107.90', remainder: '0.0027892' },
    });
    expect([story.lists.entries?.length, story.lists.events?.length]).toEqual([2, 2]);
  });
});
