import { keyName } from '../../../src/kernel/idempotency';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { setUserStatus } from '../../../src/people/users/operations';
import { accountBalance } from '../../cards/cards/support';
import { type Client, type TestApi, testApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import {
  create,
  created,
  fundedAccount,
  IBAN,
  look,
  lookUntil,
  newKey,
  quote,
  read,
  SEPA,
  told,
} from './support';

let api: TestApi;
let client: Client;
let accountId: string;
beforeAll(async () => {
  api = await testApi();
});
beforeEach(async () => {
  client = await api.client();
  accountId = await fundedAccount(api, client);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const balance = (id = accountId) => accountBalance(client, id);
const path = (rest: string, id = accountId) => `/v2/accounts/${id}/${rest}`;

describe('payout options', () => {
  it('come from the tenant’s terms, with the fields of each destination', async () => {
    const { status, body } = await client.call('GET', path('payout-options'));
    expect([status, body.hasMore, body.nextCursor]).toEqual([200, false, null]);
    expect(body.data[0]).toEqual({
      method: 'sepa',
      currency: 'EUR',
      min: '1.00',
      max: '1000000.00',
      fees: { fixed: '0.35', percent: '0' },
      destinationFields: [
        { name: 'name', required: true },
        { name: 'iban', required: true },
        { name: 'bic', required: false },
        { name: 'country', required: false },
      ],
    });
    const methods = body.data.map((option: { method: string }) => option.method);
    expect([...new Set(methods)]).toEqual(['sepa', 'swift', 'card', 'crypto']);
  });

  it('differ between tenants', async () => {
    const other = await api.client();
    expect((await other.call('GET', path('payout-options'))).status).toBe(404);
    expect((await client.call('GET', path('payout-options', 'acc_nonsense'))).status).toBe(404);
  });
});

describe('payout-quote', () => {
  it('prices without moving anything', async () => {
    const { status, body } = await quote(client, accountId);
    expect(status).toBe(201);
    expect(body).toEqual({
      quoteId: expect.stringMatching(/^quo_/),
      method: 'sepa',
      amount: '100.00',
      fee: '0.35',
      totalDebit: '100.35',
      currency: 'EUR',
      receivedAmount: '100.00',
      receivedCurrency: 'EUR',
      rate: '1',
      expiresAt: expect.stringMatching(/Z$/),
    });
    expect(await balance()).toBe('5000.00 0.00');
    expect((await client.call('GET', path('payouts'))).body.data).toEqual([]);
  });

  it('converts at the rate', async () => {
    const { body } = await quote(client, accountId, { method: 'crypto', currency: 'USDT', amount: '100.00' });
    // 1 EUR = 1.08 USD; the bid is 0.1 % below, 1.07892, and a USDT costs one USD.
    expect(body).toMatchObject({
      receivedAmount: '107.892000',
      receivedCurrency: 'USDT',
      rate: '1.07892',
      fee: '1.43', // 1 USDT is 0.9268… EUR, rounded up, and 0.5 %
      totalDebit: '101.43',
    });
  });

  it.each([
    [{ method: 'cheque' }, 'method'],
    [{ amount: '0' }, 'amount'],
    [{ amount: 100 }, 'amount'],
    [{ amount: '10.001' }, 'amount'],
    [{ amount: '0.99' }, 'amount'],
    [{ amount: '1000000.01' }, 'amount'],
    [{ currency: 'USD' }, 'currency'],
    [{ currency: 'XXX' }, 'currency'],
    [{ method: 'crypto' }, 'currency'],
  ])('names the field at fault: %j', async (asked, field) => {
    const answer = await quote(client, accountId, asked as object);
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, 'invalid_request', field]);
  });
});

describe('POST payouts', () => {
  it('creates a payout with amount and fee held, and starts its workflow', async () => {
    const asked = await create(client, accountId, { externalId: 'invoice-7' });
    expect(asked.status).toBe(201);
    expect(asked.body).toEqual({
      id: expect.stringMatching(/^pay_[0-9a-z]{26}$/),
      accountId,
      quoteId: expect.stringMatching(/^quo_/),
      externalId: 'invoice-7',
      method: 'sepa',
      status: 'created',
      amount: '100.00',
      fee: '0.35',
      totalDebit: '100.35',
      currency: 'EUR',
      receivedAmount: '100.00',
      receivedCurrency: 'EUR',
      rate: '1',
      destination: { name: 'A*** B***', iban: 'DE89****3000', bic: 'COBADEFF' },
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: asked.body.createdAt,
    });
    expect(await balance()).toBe('4899.65 100.35');
    expect(api.commands.at(-1)).toMatchObject({
      workflow: 'payoutLifecycle',
      workflowId: `payout-lifecycle-${asked.body.id}`,
      action: 'start',
      tenantId: client.clientId,
    });
    expect(await read(client, accountId, asked.body.id)).toEqual(asked.body);
    expect(await told(api, asked.body.id)).toEqual([]); // a hold has no webhook
  });

  it('debits the account when it is sent, under the key of the call', async () => {
    const key = { 'x-idempotency-key': 'travels' };
    const { id } = (await create(client, accountId, {}, key)).body;
    expect(await look(api, id)).toBe('processing');
    expect(await balance()).toBe('4899.65 100.35');
    await lookUntil(api, id, 'completed');
    expect(await balance()).toBe('4899.65 0.00');
    expect(await read(client, accountId, id)).toMatchObject({
      status: 'completed',
      sentAt: expect.stringMatching(/Z$/),
      completedAt: expect.stringMatching(/Z$/),
    });
    expect(await told(api, id)).toEqual(['withdraw/payout 100.00', 'fee/payout_fee 0.35']);
    const keys = await api.database.query(
      'select distinct idempotency_key from events where reference_id = $1',
      [id],
    );
    expect(keys).toEqual([{ idempotency_key: 'travels' }]);
  });

  it('books another currency through the FX position, to the minor unit', async () => {
    const destination = {
      chain: 'polygon',
      asset: 'USDT',
      address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    };
    const id = await created(client, accountId, { method: 'crypto', currency: 'USDT', destination });
    await lookUntil(api, id, 'completed');
    const legs = await api.database.query<{ account_id: string; available: string }>(
      `select account_id, available::float8::text as available from ledger_legs
        where reference_id = $1 and number is null order by account_id`,
      [id],
    );
    expect(legs).toEqual([
      { account_id: 'fees:EUR', available: '1.43' },
      { account_id: 'fx_position:EUR', available: '100' },
      { account_id: 'fx_position:USDT', available: '-107.892' },
      { account_id: 'payouts:USDT', available: '107.892' },
    ]);
  });

  it('requires a key, which is kept permanently', async () => {
    const quoted = (await quote(client, accountId)).body;
    const body = { quoteId: quoted.quoteId, destination: SEPA };
    const without = await client.call('POST', path('payouts'), body);
    expect([without.status, without.body.code]).toEqual([400, 'idempotency_key_required']);
    const key = newKey();
    const first = await client.call('POST', path('payouts'), body, key);
    const again = await client.call('POST', path('payouts'), body, key);
    expect([again.status, again.text, again.headers.get('x-idempotent-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ]);
    const stored = await api.database.query('select permanent from idempotency_keys where name = $1', [
      keyName(client.clientId, `POST ${path('payouts')}`, key['x-idempotency-key']),
    ]);
    expect(stored).toEqual([{ permanent: true }]);
    expect(await balance()).toBe('4899.65 100.35');
    const other = await client.call('POST', path('payouts'), { ...body, externalId: 'x' }, key);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
  });

  it('executes one payout when many requests use a quote together', async () => {
    const { quoteId } = (await quote(client, accountId)).body;
    const body = { quoteId, destination: SEPA };
    const asked = Array.from({ length: 8 }, () => client.call('POST', path('payouts'), body, newKey()));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ body: { code } }) => code)).toEqual(Array(7).fill('quote_used'));
    expect(await balance()).toBe('4899.65 100.35');
  });

  it('is refused when its quote has expired', async () => {
    const { quoteId } = (await quote(client, accountId)).body;
    await api.database.query('update quotes set expires_at = created_at where id = $1', [quoteId]);
    const refused = await client.call('POST', path('payouts'), { quoteId, destination: SEPA }, newKey());
    expect([refused.status, refused.body.code]).toEqual([409, 'quote_expired']);
    // The destination is checked before the expiry, so the 400 comes first.
    const wrong = { quoteId, destination: { ...SEPA, iban: 'DE00' } };
    const invalid = await client.call('POST', path('payouts'), wrong, newKey());
    expect([invalid.status, invalid.body.field]).toEqual([400, 'destination.iban']);
  });

  it('is refused without enough money, and the quote can be used later', async () => {
    const asked = { amount: '5000.00' };
    const { quoteId } = (await quote(client, accountId, asked)).body;
    const body = { quoteId, destination: SEPA };
    const refused = await client.call('POST', path('payouts'), body, newKey());
    expect([refused.status, refused.body.code]).toEqual([409, 'insufficient_funds']);
    expect(await balance()).toBe('5000.00 0.00');
    await fundedAccount(api, client, '0.35');
    expect((await client.call('POST', path('payouts'), body, newKey())).status).toBe(201);
    expect(await balance()).toBe('0.00 5000.35');
  });

  it.each([
    [{ destination: { ...SEPA, iban: 'DE88370400440532013000' } }, 'destination.iban'],
    [{ destination: { ...SEPA, bic: 'X' } }, 'destination.bic'],
    [{ destination: { name: 'Ada' } }, 'destination.iban'],
    [{ destination: { ...SEPA, cardNumber: '4242424242424242' } }, 'destination.cardNumber'],
    [{ method: 'card', destination: { cardToken: '4242 4242 4242 4242' } }, 'destination.cardToken'],
    [{ externalId: '' }, 'externalId'],
  ])('names the field at fault: %j', async (asked, field) => {
    const answer = await create(client, accountId, asked);
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, 'invalid_request', field]);
    expect(answer.text).not.toMatch(/4242|DE88/);
    expect(await balance()).toBe('5000.00 0.00');
  });

  it('refuses a repeated externalId of a tenant', async () => {
    await created(client, accountId, { externalId: 'once' });
    const again = await create(client, accountId, { externalId: 'once' });
    expect([again.status, again.body.code, again.body.field]).toEqual([
      400,
      'ErrAlreadyExists',
      'externalId',
    ]);
    const other = await api.client();
    await created(other, await fundedAccount(api, other), { externalId: 'once' });
  });

  it('is 404 with another account’s quote, another tenant’s, or none', async () => {
    const { quoteId } = (await quote(client, accountId)).body;
    const usd = await masterAccount(client, 'USD');
    const other = await api.client();
    const answers = await Promise.all([
      client.call('POST', path('payouts', usd), { quoteId, destination: SEPA }, newKey()),
      other.call(
        'POST',
        path('payouts', await masterAccount(other, 'EUR')),
        { quoteId, destination: SEPA },
        newKey(),
      ),
      client.call('POST', path('payouts'), { quoteId: 'nonsense', destination: SEPA }, newKey()),
    ]);
    for (const { status, body } of answers) expect([status, body.field]).toEqual([404, 'quoteId']);
    const foreign = await other.call('POST', path('payouts'), { quoteId, destination: SEPA }, newKey());
    expect([foreign.status, foreign.body.field]).toEqual([404, undefined]);
  });

  it('refuses a blocked user and a closed account', async () => {
    const user = (await client.call('POST', '/v1/users', {})).body;
    const opened = await client.call('POST', `/v1/users/${user.id}/accounts`, { currency: 'EUR' });
    const own = String(opened.body.id);
    const transfer = { fromAccountId: accountId, toAccountId: own, amount: '500.00' };
    expect((await client.call('POST', '/v1/users/transfer', transfer)).status).toBeLessThan(300);
    await api.database.transaction((tx) =>
      setUserStatus(api.services, tx, null, user.id, 'blocked', undefined),
    );
    const blocked = await create(client, own);
    expect([blocked.status, blocked.body.code]).toEqual([409, 'user_blocked']);
    await api.database.query(`update accounts set status = 'closed' where id = $1`, [own]);
    const closed = await create(client, own);
    expect([closed.status, closed.body.code]).toEqual([409, 'account_closed']);
    expect(await balance(own)).toBe('500.00 0.00');
  });

  it('is cancelled when its user is blocked before the order', async () => {
    const user = (await client.call('POST', '/v1/users', {})).body;
    const opened = await client.call('POST', `/v1/users/${user.id}/accounts`, { currency: 'EUR' });
    const own = String(opened.body.id);
    await client.call('POST', '/v1/users/transfer', {
      fromAccountId: accountId,
      toAccountId: own,
      amount: '500.00',
    });
    const id = await created(client, own);
    await api.database.transaction((tx) =>
      setUserStatus(api.services, tx, null, user.id, 'blocked', undefined),
    );
    expect(await look(api, id)).toBe('cancelled');
    expect(await read(client, own, id)).toMatchObject({ status: 'cancelled', failure: 'user_blocked' });
    expect(await balance(own)).toBe('500.00 0.00');
  });

  it('waits with Prefer: wait', async () => {
    const { quoteId } = (await quote(client, accountId)).body;
    const waiting = client.call(
      'POST',
      path('payouts'),
      { quoteId, destination: SEPA },
      {
        ...newKey(),
        prefer: 'wait=20',
      },
    );
    let id: string | undefined;
    while (id === undefined) id = (await client.call('GET', path('payouts'))).body.data[0]?.id;
    await lookUntil(api, id, 'completed');
    const answer = await waiting;
    expect([answer.status, answer.body.status]).toEqual([201, 'completed']);
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
  });
});

describe('GET payouts', () => {
  it('pages, newest first, by status, method, time and externalId', async () => {
    const ids: string[] = [];
    for (const externalId of ['a', 'b', 'c']) ids.unshift(await created(client, accountId, { externalId }));
    const destination = { cardToken: 'tok_visa' };
    ids.unshift(await created(client, accountId, { method: 'card', destination }));
    await lookUntil(api, ids[3] as string, 'completed');
    const list = async (query: string) => {
      const { body } = await client.call('GET', path(`payouts?${query}`));
      return body.data.map(({ id }: { id: string }) => ids.indexOf(id));
    };
    expect(await list('')).toEqual([0, 1, 2, 3]);
    expect(await list('status=completed')).toEqual([3]);
    expect(await list('method=card')).toEqual([0]);
    expect(await list('externalId=b')).toEqual([2]);
    const { createdAt } = await read(client, accountId, ids[1] as string);
    expect(await list(`from=${createdAt}`)).toEqual([0, 1]);
    expect(await list(`to=${createdAt}`)).toEqual([2, 3]);
    const first = await client.call('GET', path('payouts?limit=3'));
    expect(first.body.hasMore).toBe(true);
    expect(await list(`limit=3&cursor=${first.body.nextCursor}`)).toEqual([3]);
    expect((await client.call('GET', path('payouts?cursor=x'))).body.field).toBe('cursor');
    expect((await client.call('GET', path('payouts?status=lost'))).body.field).toBe('status');
  });

  it('is 404 for a payout of another account or tenant', async () => {
    const id = await created(client, accountId);
    const usd = await masterAccount(client, 'USD');
    const other = await api.client();
    const answers = await Promise.all([
      client.call('GET', path(`payouts/${id}`, usd)),
      other.call('GET', path(`payouts/${id}`)),
      other.call('GET', path(`payouts/${id}`, await masterAccount(other, 'EUR'))),
      client.call('GET', path('payouts/nonsense')),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });
});

it('stores the destination sealed, and shows it nowhere', async () => {
  const key = newKey();
  const { id } = (await create(client, accountId, {}, key)).body;
  await lookUntil(api, id, 'completed');
  const rows = await api.database.query<{ row: string }>(
    `select to_jsonb(p)::text || encode(destination, 'escape') as row from payouts p where id = $1
     union all select to_jsonb(k)::text from idempotency_keys k where name = $2
     union all select to_jsonb(e)::text from events e where reference_id = $1
     union all select to_jsonb(q)::text from quotes q
     union all select to_jsonb(s)::text from sandbox_orders s`,
    [id, keyName(client.clientId, `POST ${path('payouts')}`, key['x-idempotency-key'])],
  );
  expect(rows.length).toBeGreaterThan(4);
  for (const { row } of rows) expect(row).not.toMatch(new RegExp(`${IBAN}|Byron`));
});
