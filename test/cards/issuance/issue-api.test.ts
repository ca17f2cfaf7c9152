/** @long */
import { blockCardsOf } from '../../../src/cards/cards/operations';
import { orderCard } from '../../../src/cards/orders/issuance';
import { newId } from '../../../src/kernel/ids';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { setUserStatus } from '../../../src/people/users/operations';
import { PartyRefused } from '../../../src/process/party-errors';
import { type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../../support/api';
import { cardBalance, cardholder, fund, masterAccount } from '../../support/cards';
import { accountBalance, requestedCard } from '../cards/support';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi(DECIDED_AT_ONCE);
});
beforeEach(async () => {
  client = await api.client();
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const count = async (table: string) =>
  Number((await api.database.query<{ count: string }>(`select count(*) from ${table}`))[0]?.count);

describe('POST /v1/cards', () => {
  it('is pending with the amount and the fee held, and its issuance begins', async () => {
    const { userId, accountId, cardholderId } = await cardholder(client);
    await fund(api, accountId, '60.00');
    const asked = await client.call(
      'POST',
      '/v1/cards',
      { userId, accountId, cardholderId, label: 'Travel', amount: '50.00' },
      { 'x-idempotency-key': 'issue-1' },
    );
    expect(asked.status).toBe(201);
    expect(asked.body).toEqual({
      id: expect.stringMatching(/^card_[0-9a-z]{26}$/),
      userId,
      accountId,
      cardholderId,
      bin: '44112200',
      scheme: 'visa',
      last4: null,
      maskedNumber: null,
      expiryMonth: null,
      expiryYear: null,
      currency: 'USD',
      label: 'Travel',
      status: 'pending',
      freezeReasons: [],
      balance: { available: '0.00', pending: '0.00', spent: '0.00' },
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: asked.body.createdAt,
    });
    expect(await accountBalance(client, accountId)).toBe('9.00 51.00');
    expect(api.commands.filter((command) => command.args[0] === asked.body.id)).toMatchObject([
      {
        workflow: 'cardIssuance',
        workflowId: `card-issuance-${asked.body.id}`,
        action: 'start',
        tenantId: client.clientId,
      },
    ]);

    const again = await client.call(
      'POST',
      '/v1/cards',
      { userId, accountId, cardholderId, label: 'Travel', amount: '50.00' },
      { 'x-idempotency-key': 'issue-1' },
    );
    expect([again.status, again.text]).toEqual([201, asked.text]);
    expect(await accountBalance(client, accountId)).toBe('9.00 51.00');
  });

  it('becomes active when the processor has issued it, and the money moves', async () => {
    const card = await requestedCard(api, client, { amount: '50.00' });
    const key = { 'x-idempotency-key': 'not-used' };
    expect(await orderCard(api.services, card.id)).toBe('active');
    const shown = await client.call('GET', `/v1/cards/${card.id}`, undefined, key);
    expect(shown.body).toMatchObject({
      status: 'active',
      last4: expect.stringMatching(/^\d{4}$/),
      expiryMonth: new Date().getUTCMonth() + 1,
      expiryYear: new Date().getUTCFullYear() + 4,
      balance: { available: '50.00', pending: '0.00', spent: '0.00' },
    });
    expect(shown.body.maskedNumber).toBe(`44112200****${shown.body.last4}`);
    expect(await accountBalance(client, card.accountId)).toBe('149.00 0.00');
  });

  it('sends the webhooks of its issuance under the key of the call', async () => {
    const { userId, accountId, cardholderId } = await cardholder(client);
    await fund(api, accountId, '20.00');
    const headers = { 'x-idempotency-key': 'travels' };
    const body = { userId, accountId, cardholderId, amount: '10.00' };
    const { id } = (await client.call('POST', '/v1/cards', body, headers)).body;
    await orderCard(api.services, id);
    const told = await api.database.query<{ event: string; type: string; subtype: string | null }>(
      `select event, type, subtype from events where tenant_id = $1 and idempotency_key = 'travels' order by type, subtype`,
      [client.clientId],
    );
    expect(told.map(({ event, type, subtype }) => [event, type, subtype ?? null])).toEqual([
      ['account_transaction', 'fee', 'issue_fee'],
      ['card_transaction', 'issue', null],
      ['account_transaction', 'transfer', 'card_deposit'],
    ]);
  });

  it('issues once when the workflow runs the step twice', async () => {
    const card = await requestedCard(api, client, { amount: '50.00' });
    const before = await count('card_transactions');
    const steps = Array.from({ length: 4 }, () => orderCard(api.services, card.id));
    const progress = new Set(await Promise.all(steps));
    expect([...progress]).toEqual(['active']);
    expect(await count('card_transactions')).toBe(before + 1);
    expect(await cardBalance(client, card.id)).toBe('50.00 0.00 0.00');
    expect(await accountBalance(client, card.accountId)).toBe('149.00 0.00');
  });

  it('is ordered once, although the processor may forget a key', async () => {
    const { id } = await requestedCard(api, client, { label: 'sandbox:slow' });
    expect(await orderCard(api.services, id)).toBe('processing');
    const { cardProcessor } = api.services.parties;
    const issue = () => Promise.reject(new Error('it was ordered again'));
    api.services.parties.cardProcessor = { ...cardProcessor, issue };
    expect(await orderCard(api.services, id)).toBe('processing');
    api.services.parties.cardProcessor = cardProcessor;
  });

  it('fails with the code of a processor that does not accept the order', async () => {
    const { id } = await requestedCard(api, client);
    const { cardProcessor } = api.services.parties;
    const issue = () => Promise.reject(new PartyRefused('bin_unknown'));
    api.services.parties.cardProcessor = { ...cardProcessor, issue };
    expect(await orderCard(api.services, id)).toBe('failed');
    api.services.parties.cardProcessor = cardProcessor;
    const [row] = await api.database.query('select failure from cards where id = $1', [id]);
    expect(row).toEqual({ failure: 'bin_unknown' });
  });

  it('fails when the processor refuses, and its hold is released', async () => {
    const card = await requestedCard(api, client, { amount: '50.00', label: 'sandbox:refuse' });
    expect(await orderCard(api.services, card.id)).toBe('failed');
    expect(await orderCard(api.services, card.id)).toBe('failed');
    const shown = await client.call('GET', `/v1/cards/${card.id}`);
    expect(shown.body).toMatchObject({ status: 'failed', failure: 'processor_refused', last4: null });
    expect(await accountBalance(client, card.accountId)).toBe('200.00 0.00');
  });

  it('waits for the issuance when the caller prefers to wait', async () => {
    const { userId, accountId, cardholderId } = await cardholder(client);
    await fund(api, accountId, '20.00');
    const begun = api.commands.length;
    const asking = client.call(
      'POST',
      '/v1/cards',
      { userId, accountId, cardholderId },
      { prefer: 'wait=20' },
    );
    while (api.commands.length === begun) await new Promise((resolve) => setTimeout(resolve, 10));
    await orderCard(api.services, String(api.commands.at(-1)?.args[0]));
    const answer = await asking;
    expect([answer.status, answer.body.status]).toEqual([201, 'active']);
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
  });

  it('accepts the user’s own account', async () => {
    const { userId, cardholderId, accountId: master } = await cardholder(client);
    const own = (await client.call('POST', `/v1/users/${userId}/accounts`, { currency: 'USD' })).body.id;
    await fund(api, own, '6.00');
    const asked = await client.call('POST', '/v1/cards', {
      userId,
      accountId: own,
      cardholderId,
      amount: '5.00',
    });
    expect(asked.status).toBe(201);
    expect(await orderCard(api.services, asked.body.id)).toBe('active');
    expect(await accountBalance(client, own)).toBe('0.00 0.00');
    expect(await accountBalance(client, master)).toBe('0.00 0.00');
  });
});

describe('refusals of POST /v1/cards', () => {
  const ID = (kind: 'user' | 'account' | 'cardholder') => newId(kind);
  type Change = (
    given: Record<string, unknown>,
  ) => Promise<Record<string, unknown>> | Record<string, unknown>;
  const cases: [string, Change, number, string, string | undefined][] = [
    ['no user', ({ userId: _, ...rest }) => rest, 400, 'invalid_request', 'userId'],
    ['no account', ({ accountId: _, ...rest }) => rest, 400, 'invalid_request', 'accountId'],
    ['no cardholder', ({ cardholderId: _, ...rest }) => rest, 400, 'invalid_request', 'cardholderId'],
    ['a number for a user', (given) => ({ ...given, userId: 1 }), 400, 'invalid_request', 'userId'],
    ['an unknown field', (given) => ({ ...given, colour: 'red' }), 400, 'invalid_request', 'colour'],
    ['a long label', (given) => ({ ...given, label: 'x'.repeat(101) }), 400, 'invalid_request', 'label'],
    ['a label with NUL', (given) => ({ ...given, label: 'a\u0000b' }), 400, 'invalid_request', 'label'],
    ['a number as amount', (given) => ({ ...given, amount: 5 }), 400, 'invalid_request', 'amount'],
    ['zero', (given) => ({ ...given, amount: '0.00' }), 400, 'invalid_request', 'amount'],
    ['a negative amount', (given) => ({ ...given, amount: '-5.00' }), 400, 'invalid_request', 'amount'],
    ['an exponent', (given) => ({ ...given, amount: '1e2' }), 400, 'invalid_request', 'amount'],
    [
      'sixteen digits',
      (given) => ({ ...given, amount: '1234567890123456' }),
      400,
      'invalid_request',
      'amount',
    ],
    ['too many decimals', (given) => ({ ...given, amount: '1.001' }), 400, 'invalid_request', 'amount'],
    ['an unknown user', (given) => ({ ...given, userId: ID('user') }), 404, 'not_found', 'userId'],
    ['a malformed user', (given) => ({ ...given, userId: 'x\u0000' }), 404, 'not_found', 'userId'],
    [
      'an unknown account',
      (given) => ({ ...given, accountId: ID('account') }),
      404,
      'not_found',
      'accountId',
    ],
    ['a malformed account', (given) => ({ ...given, accountId: '\u0000' }), 404, 'not_found', 'accountId'],
    [
      'an unknown cardholder',
      (given) => ({ ...given, cardholderId: ID('cardholder') }),
      404,
      'not_found',
      'cardholderId',
    ],
    [
      'a malformed cardholder',
      (given) => ({ ...given, cardholderId: '\u0000' }),
      404,
      'not_found',
      'cardholderId',
    ],
    [
      "another tenant's account",
      async (given) => ({ ...given, accountId: await masterAccount(await api.client()) }),
      404,
      'not_found',
      'accountId',
    ],
    [
      'an account in another currency',
      async (given) => ({ ...given, accountId: await masterAccount(client, 'EUR') }),
      400,
      'invalid_request',
      'accountId',
    ],
    [
      "another user's account",
      async (given) => {
        const other = await cardholder(client);
        const opened = await client.call('POST', `/v1/users/${other.userId}/accounts`, { currency: 'USD' });
        return { ...given, accountId: opened.body.id };
      },
      400,
      'invalid_request',
      'accountId',
    ],
    [
      "another user's cardholder",
      async (given) => ({ ...given, cardholderId: (await cardholder(client)).cardholderId }),
      400,
      'invalid_request',
      'cardholderId',
    ],
    [
      'a blocked user',
      async (given) => {
        await client.call('PATCH', `/v1/users/${String(given['userId'])}/status`, { status: 'blocked' });
        return given;
      },
      409,
      'user_blocked',
      'userId',
    ],
    [
      'a cardholder under review',
      async (given) => {
        const { cardholderId } = given;
        await api.database.query(`update cardholders set status = 'wait_audit' where id = $1`, [
          cardholderId,
        ]);
        return given;
      },
      409,
      'cardholder_not_approved',
      'cardholderId',
    ],
    [
      'a BIN that is disabled for the user',
      async (given) => {
        const setting = { bin: '44112200', enabled: false };
        await client.call('POST', `/v1/users/${String(given['userId'])}/bins`, setting);
        return given;
      },
      409,
      'bin_closed',
      'bin',
    ],
    [
      'a closed account',
      async (given) => {
        await api.database.query(`update accounts set status = 'closed' where id = $1`, [given['accountId']]);
        return given;
      },
      409,
      'account_closed',
      'accountId',
    ],
    ['too little money', (given) => ({ ...given, amount: '19.01' }), 409, 'insufficient_funds', undefined],
  ];

  it.each(cases)('%s', async (_name, change, status, code, field) => {
    const { userId, accountId, cardholderId } = await cardholder(client);
    await fund(api, accountId, '20.00');
    const body = await change({ userId, accountId, cardholderId, amount: '5.00' });
    const before = [await count('cards'), await count('ledger_legs'), api.commands.length];
    const answer = await client.call('POST', '/v1/cards', body);
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([status, code, field]);
    expect([await count('cards'), await count('ledger_legs'), api.commands.length]).toEqual(before);
  });

  it('come in order: unknown records, then fields that do not fit, then conflicts', async () => {
    const { userId, accountId, cardholderId } = await cardholder(client);
    await client.call('PATCH', `/v1/users/${userId}/status`, { status: 'blocked' });
    const ask = async (body: Record<string, unknown>) =>
      (await client.call('POST', '/v1/cards', body)).body.code;
    const unfit = await masterAccount(client, 'EUR');
    expect(await ask({ userId, accountId: unfit, cardholderId: newId('cardholder') })).toBe('not_found');
    expect(await ask({ userId, accountId: unfit, cardholderId })).toBe('invalid_request');
    expect(await ask({ userId, accountId, cardholderId })).toBe('user_blocked');
  });

  it('are stored under the key', async () => {
    const { userId, accountId, cardholderId } = await cardholder(client);
    const body = { userId, accountId, cardholderId, amount: '5.00' };
    const headers = { 'x-idempotency-key': 'refused' };
    const first = await client.call('POST', '/v1/cards', body, headers);
    expect(first.body.code).toBe('insufficient_funds');
    await fund(api, accountId, '20.00');
    const again = await client.call('POST', '/v1/cards', body, headers);
    expect([again.status, again.text]).toEqual([409, first.text]);
  });
});

describe('races', () => {
  it('allow exactly 5 of 20 concurrent issuances when the money covers 5', async () => {
    const { userId, accountId, cardholderId } = await cardholder(client);
    await fund(api, accountId, '55.00');
    const body = { userId, accountId, cardholderId, amount: '10.00' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.call('POST', '/v1/cards', body)),
    );
    const codes = answers.map(({ status, body: { code } }) => (status === 201 ? 'issued' : String(code)));
    expect(codes.filter((code) => code === 'issued')).toHaveLength(5);
    expect(codes.filter((code) => code === 'insufficient_funds')).toHaveLength(15);
    expect(await accountBalance(client, accountId)).toBe('0.00 55.00');
  });

  it('never give a cardholder more cards than the BIN allows', async () => {
    const { userId, accountId, cardholderId } = await cardholder(client);
    await fund(api, accountId, '1000.00');
    const body = { userId, accountId, cardholderId };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.call('POST', '/v1/cards', body)),
    );
    const codes = answers.map(({ status, body: { code } }) => (status === 201 ? 'issued' : String(code)));
    expect(codes.filter((code) => code === 'issued')).toHaveLength(10);
    expect(codes.filter((code) => code === 'limit_exceeded')).toHaveLength(10);
  });

  it('block every card of a user who is blocked at the same moment', async () => {
    const { userId, accountId, cardholderId } = await cardholder(client);
    await fund(api, accountId, '1000.00');
    const body = { userId, accountId, cardholderId };
    const ask = () => client.call('POST', '/v1/cards', body);
    expect((await ask()).status).toBe(201);
    const block = api.database.transaction(async (tx) => {
      await setUserStatus(api.services, tx, client.clientId, userId, 'blocked', undefined);
      await blockCardsOf(tx, userId, true);
    });
    const answers = await Promise.all([...Array.from({ length: 8 }, ask), block]);
    const cards = await api.database.query<{ user_blocked: boolean }>(
      'select user_blocked from cards where user_id = $1',
      [userId],
    );
    const issued = answers.filter((answer) => answer?.status === 201);
    expect(cards.map((card) => card.user_blocked)).toEqual(
      Array.from({ length: issued.length + 1 }, () => true),
    );
  });
});
