/** @long */
import { expireAuthorizations } from '../../../src/cards/events/expiry';
import { closeAtProcessor } from '../../../src/cards/orders/closure';
import { orderCard } from '../../../src/cards/orders/issuance';
import { carryOutOperation } from '../../../src/cards/requests/carry-out';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { type Answer, type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../../support/api';
import { cardBalance, cardholder, DEMO_BIN, fund, simulate, tell } from '../../support/cards';
import { accountBalance } from '../cards/support';

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

let keys = 0;
const keyed = (): Record<string, string> => ({ 'x-idempotency-key': `key-${keys++}` });

const operation = async (id: string) => (await client.call('GET', `/v2/cards/operations/${id}`)).body;
const bufferOf = async (cardId: string) =>
  (await client.call('GET', `/v2/cards/${cardId}`)).body.buffer.amount;
const balances = async ({ id, accountId }: { id: string; accountId: string }) => [
  await cardBalance(client, id),
  await bufferOf(id),
  await accountBalance(client, accountId),
];

async function issueQuote(given: Record<string, unknown> = {}, funded = '200.00') {
  const { userId, accountId, cardholderId } = await cardholder(client);
  await fund(api, accountId, funded);
  const asked = { userId, accountId, cardholderId, bin: DEMO_BIN, amount: '100.00', allocation: '0.25' };
  const quote = await client.call('POST', '/v2/cards/issue/quote', { ...asked, ...given });
  return { quote, userId, accountId, cardholderId };
}

/** An active card with 75.00 and a buffer of 25.00; its account has 99.00 left. */
async function bufferedCard() {
  const { quote, accountId, userId } = await issueQuote();
  const accepted = await client.call('POST', '/v2/cards', { quoteId: quote.body.quoteId }, keyed());
  const { cardId: id, operationId } = accepted.body;
  expect(await orderCard(api.services, id)).toBe('active');
  return { id, accountId, userId, operationId };
}

const topupQuote = (card: { id: string; accountId: string }, given: Record<string, unknown> = {}) =>
  client.call('POST', `/v2/cards/${card.id}/topup/quote`, {
    accountId: card.accountId,
    amount: '10.00',
    allocation: '0.5',
    ...given,
  });

async function toldOf(id: string): Promise<unknown[]> {
  const rows = await api.database.query<{ data: string }>(
    `select data from events where event = 'transfer.status_changed' and data::json ->> 'recordId' = $1 order by number`,
    [id],
  );
  return rows.map(({ data }) => {
    const { previousStatus, status, failure } = JSON.parse(data);
    return [previousStatus, status, ...(failure ? [failure] : [])];
  });
}

describe('an issuance with a buffer', () => {
  it('is quoted, accepted with its total debit held, and posted exactly when the card is issued', async () => {
    const { quote, accountId } = await issueQuote();
    expect([quote.status, quote.body]).toEqual([
      201,
      {
        quoteId: expect.stringMatching(/^quo_/),
        amount: '100.00',
        principal: '75.00',
        buffer: '25.00',
        fee: '1.00',
        totalDebit: '101.00',
        currency: 'USD',
        expiresAt: expect.stringMatching(/Z$/),
      },
    ]);
    const { quoteId } = quote.body;
    const accepted = await client.call('POST', '/v2/cards', { quoteId, label: 'Trip' }, keyed());
    expect([accepted.status, accepted.body]).toEqual([
      202,
      {
        operationId: expect.stringMatching(/^cop_/),
        status: 'accepted',
        cardId: expect.stringMatching(/^card_/),
      },
    ]);
    const { operationId, cardId: id } = accepted.body;
    expect(await balances({ id, accountId })).toEqual(['0.00 0.00 0.00', '0.00', '99.00 101.00']);
    expect(await carryOutOperation(api.services, operationId)).toBe('processing');

    expect(await orderCard(api.services, id)).toBe('active');
    expect(await carryOutOperation(api.services, operationId)).toBe('completed');
    expect(await balances({ id, accountId })).toEqual(['75.00 0.00 0.00', '25.00', '99.00 0.00']);
    const ended = await operation(operationId);
    expect(ended).toMatchObject({ type: 'issue', status: 'completed', cardId: id, accountId });
    expect(ended.result).toMatchObject({
      principal: '75.00',
      buffer: '25.00',
      fee: '1.00',
      totalDebit: '101.00',
      currency: 'USD',
    });
    const listed = await client.call('GET', `/v1/accounts/${accountId}/transactions?limit=3`);
    expect([...ended.result.accountTransactionIds].sort()).toEqual(
      listed.body.data.map((line: { id: string }) => line.id).sort(),
    );
    const history = await client.call('GET', `/v1/cards/${id}/transactions`);
    expect(ended.result.cardTransactionIds).toEqual([history.body.data[0].id]);
    expect(await toldOf(operationId)).toEqual([
      ['accepted', 'processing'],
      ['processing', 'completed'],
    ]);
    const { body } = await client.call('GET', `/v2/cards/${id}/transactions`);
    expect(body.data.map(({ kind, status, type }: Record<string, string>) => [kind, status ?? type])).toEqual(
      [
        ['card_operation', 'completed'],
        ['account_transaction', 'fee'],
        ['account_transaction', 'transfer'],
        ['account_transaction', 'transfer'],
        ['card_transaction', 'issue'],
        ['card_operation', 'processing'],
        ['card_operation', 'accepted'],
      ],
    );
  });

  it('fails when the processor refuses, and changes no balance', async () => {
    const { quote, accountId } = await issueQuote();
    const body = { quoteId: quote.body.quoteId, label: 'sandbox:refuse' };
    const { cardId, operationId } = (await client.call('POST', '/v2/cards', body, keyed())).body;
    expect(await orderCard(api.services, cardId)).toBe('failed');
    expect(await operation(operationId)).toMatchObject({
      status: 'failed',
      failure: { code: expect.any(String), message: expect.any(String) },
    });
    expect(await accountBalance(client, accountId)).toBe('200.00 0.00');
  });

  it.each([
    [{ allocation: '0.51' }, 400, 'invalid_request', 'allocation'],
    [{ allocation: '-0.1' }, 400, 'invalid_request', 'allocation'],
    [{ amount: '10.001' }, 400, 'invalid_request', 'amount'],
    [{ userId: 'usr_nobody' }, 404, 'not_found', 'userId'],
    [{ bin: '99999999' }, 404, 'not_found', 'bin'],
  ])('refuses a quote for %j', async (given, status, code, field) => {
    const { quote } = await issueQuote(given);
    expect([quote.status, quote.body]).toEqual([status, expect.objectContaining({ code, field })]);
  });

  it.each([
    [
      'a blocked user',
      'user_blocked',
      (userId: string) => client.call('PATCH', `/v1/users/${userId}/status`, { status: 'blocked' }),
    ],
    [
      'a disabled BIN',
      'bin_closed',
      (userId: string) => client.call('POST', `/v1/users/${userId}/bins`, { bin: DEMO_BIN, enabled: false }),
    ],
    [
      'a cardholder that is not approved',
      'cardholder_not_approved',
      (userId: string) =>
        api.database.query(`update cardholders set status = 'reject' where user_id = $1`, [userId]),
    ],
    [
      'a cardholder that has all cards of the BIN',
      'limit_exceeded',
      () => api.database.query('update bins set capacity_per_cardholder = 0 where bin = $1', [DEMO_BIN]),
    ],
  ])('refuses a quote for %s, because acceptance would be refused', async (_, code, stop) => {
    const { userId, accountId, cardholderId } = await cardholder(client);
    await stop(userId);
    const asked = { userId, accountId, cardholderId, bin: DEMO_BIN, amount: '100.00', allocation: '0.25' };
    const { status, body } = await client.call('POST', '/v2/cards/issue/quote', asked);
    await api.database.query('update bins set capacity_per_cardholder = 10 where bin = $1', [DEMO_BIN]);
    expect([status, body]).toEqual([409, expect.objectContaining({ code })]);
    expect(await api.database.query('select from quotes where account_id = $1', [accountId])).toEqual([]);
  });

  it('rounds the buffer down and leaves the card the rest', async () => {
    const { quote } = await issueQuote({ amount: '10.01', allocation: '0.333' });
    expect(quote.body).toMatchObject({ principal: '6.68', buffer: '3.33' });
  });

  it('is accepted once per quote when requests arrive together', async () => {
    const { quote, accountId } = await issueQuote();
    const { quoteId } = quote.body;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.call('POST', '/v2/cards', { quoteId }, keyed())),
    );
    const codes = answers.map(({ status, body }) => (status === 202 ? 202 : body.code)).sort();
    expect(codes).toEqual([202, ...Array.from({ length: 19 }, () => 'quote_used')]);
    expect(await accountBalance(client, accountId)).toBe('99.00 101.00');
  });

  it('is refused when the account does not cover it, and the quote can still be accepted', async () => {
    const { quote, accountId } = await issueQuote({}, '100.99');
    const { quoteId } = quote.body;
    const refused = await client.call('POST', '/v2/cards', { quoteId }, keyed());
    expect([refused.status, refused.body.code]).toEqual([409, 'insufficient_funds']);
    await fund(api, accountId, '0.01');
    expect((await client.call('POST', '/v2/cards', { quoteId }, keyed())).status).toBe(202);
  });

  it('is invisible to another tenant, which cannot accept its quote', async () => {
    const { quote } = await issueQuote();
    const { operationId, id } = await bufferedCard();
    const stranger = await api.client();
    const { quoteId } = quote.body;
    const answers: Answer[] = [
      await stranger.call('POST', '/v2/cards', { quoteId }, keyed()),
      await stranger.call('GET', `/v2/cards/operations/${operationId}`),
      await stranger.call('GET', `/v2/cards/${id}`),
      await stranger.call('DELETE', `/v2/cards/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });
});

describe('the check whether a card can be issued', () => {
  const capability = async (accountId: string, bin = DEMO_BIN) =>
    (await client.call('GET', `/v2/cards/issue/capability?accountId=${accountId}&bin=${bin}`)).body;

  it('names each reason why no card can be issued', async () => {
    const { accountId } = await cardholder(client);
    const accounts = (await client.call('GET', '/v1/accounts')).body.data;
    const euro = accounts.find(({ currency }: { currency: string }) => currency === 'EUR').id;
    const yes = { admitted: true, client: true, source: true, programme: true, reasons: [] };
    expect(await capability(accountId)).toEqual(yes);
    expect(await capability(euro)).toEqual({
      ...yes,
      admitted: false,
      source: false,
      reasons: ['account_currency'],
    });
    expect(await capability(accountId, '99999999')).toEqual({
      ...yes,
      admitted: false,
      client: false,
      programme: false,
      reasons: ['bin_not_admitted'],
    });
  });
});

describe('a top-up with a buffer', () => {
  it('is held until it is carried out, and then posted exactly once', async () => {
    const card = await bufferedCard();
    const quote = await topupQuote(card);
    expect(quote.body).toMatchObject({ principal: '5.00', buffer: '5.00', totalDebit: '10.25' });
    const { quoteId } = quote.body;
    const accepted = await client.call('POST', `/v2/cards/${card.id}/topup`, { quoteId }, keyed());
    const { operationId } = accepted.body;
    expect([accepted.status, accepted.body.cardId]).toEqual([202, card.id]);
    expect(await balances(card)).toEqual(['75.00 0.00 0.00', '25.00', '88.75 10.25']);
    const ends = await Promise.all([1, 2, 3].map(() => carryOutOperation(api.services, operationId)));
    expect(ends).toEqual(['completed', 'completed', 'completed']);
    expect(await balances(card)).toEqual(['80.00 0.00 0.00', '30.00', '88.75 0.00']);
    const { result } = await operation(operationId);
    expect(result).toMatchObject({ principal: '5.00', buffer: '5.00', fee: '0.25', totalDebit: '10.25' });
    expect([result.accountTransactionIds.length, result.cardTransactionIds.length]).toEqual([3, 1]);
  });

  it('opens the first buffer of a card without one', async () => {
    const { accountId, userId, cardholderId } = await cardholder(client);
    await fund(api, accountId, '100.00');
    const body = { userId, accountId, cardholderId, amount: '10.00' };
    const { id } = (await client.call('POST', '/v1/cards', body)).body;
    await orderCard(api.services, id);
    expect(await bufferOf(id)).toBe('0.00');
    for (const buffer of ['5.00', '10.00']) {
      const { quoteId } = (await topupQuote({ id, accountId })).body;
      const { operationId } = (await client.call('POST', `/v2/cards/${id}/topup`, { quoteId }, keyed())).body;
      expect(await carryOutOperation(api.services, operationId)).toBe('completed');
      expect(await bufferOf(id)).toBe(buffer);
    }
  });

  it('fails with its hold released when the card is closed or its user blocked meanwhile', async () => {
    const [closed, blocked] = [await bufferedCard(), await bufferedCard()];
    const operations = [];
    for (const card of [closed, blocked]) {
      const { quoteId } = (await topupQuote(card)).body;
      const answer = await client.call('POST', `/v2/cards/${card.id}/topup`, { quoteId }, keyed());
      operations.push(answer.body.operationId);
    }
    await client.call('DELETE', `/v1/cards/${closed.id}`);
    await client.call('PATCH', `/v1/users/${blocked.userId}/status`, { status: 'blocked' });
    for (const id of operations) expect(await carryOutOperation(api.services, id)).toBe('failed');
    const codes = await Promise.all(operations.map(async (id) => (await operation(id)).failure.code));
    expect(codes).toEqual(['card_closed', 'user_blocked']);
    expect(await toldOf(operations[0])).toEqual([['accepted', 'failed', 'card_closed']]);
    expect(await accountBalance(client, blocked.accountId)).toMatch(/ 0\.00$/);
  });

  it('refuses the quote of another card', async () => {
    const [one, other] = [await bufferedCard(), await bufferedCard()];
    const { quoteId } = (await topupQuote(one)).body;
    const answer = await client.call('POST', `/v2/cards/${other.id}/topup`, { quoteId }, keyed());
    expect([answer.status, answer.body.field]).toEqual([404, 'quoteId']);
  });

  it('pays the debt of the card first', async () => {
    const card = await bufferedCard();
    await simulate(client, { cardId: card.id, type: 'settle', amount: '190.00' }); // above 75 + 25
    expect(await balances(card)).toEqual(['-90.00 0.00 190.00', '0.00', '97.95 0.00']);
    const { quoteId } = (await topupQuote(card, { amount: '97.70', allocation: '0.5' })).body;
    const { operationId } = (await client.call('POST', `/v2/cards/${card.id}/topup`, { quoteId }, keyed()))
      .body;
    await carryOutOperation(api.services, operationId);
    expect(await balances(card)).toEqual(['0.00 0.00 190.00', '7.70', '0.00 0.00']);
    const { status, freezeReasons } = (await client.call('GET', `/v2/cards/${card.id}`)).body;
    expect([status, freezeReasons]).toEqual(['active', []]);
  });
});

describe('a buffer', () => {
  it('covers settlements above the authorization before the principal does', async () => {
    const card = await bufferedCard();
    const { id: cardId } = card;
    const { referenceId } = (await simulate(client, { cardId, type: 'authorization', amount: '70.00' })).body;
    await simulate(client, { cardId, type: 'settle', amount: '90.00', referenceId, final: true });
    expect(await balances(card)).toEqual(['5.00 0.00 90.00', '5.00', '98.45 0.00']);
    const { data } = (await client.call('GET', `/v1/cards/${cardId}/transactions?limit=3`)).body;
    expect(
      data.map(({ type, source, forced, billingAmount }: any) => [type, source, forced, billingAmount]),
    ).toEqual([
      ['settle', undefined, undefined, '90.00'],
      ['authorization', undefined, true, '20.00'],
      ['topup', 'buffer', undefined, '20.00'],
    ]);
  });

  it('covers neither an ordinary authorization nor a withdrawal', async () => {
    const card = await bufferedCard();
    const declined = await simulate(client, { cardId: card.id, type: 'authorization', amount: '75.01' });
    expect(declined.body).toMatchObject({ type: 'decline', declineReason: 'insufficient_funds' });
    const path = `/v2/cards/${card.id}/withdraw`;
    const refused = await client.call('POST', path, { amount: '75.01' }, keyed());
    expect([refused.status, refused.body.code]).toEqual([409, 'insufficient_funds']);
    const { operationId } = (await client.call('POST', path, { amount: '75.00' }, keyed())).body;
    expect(await carryOutOperation(api.services, operationId)).toBe('completed');
    expect(await balances(card)).toEqual(['0.00 0.00 0.00', '25.00', '173.80 0.00']);
    expect((await operation(operationId)).result).toMatchObject({ principal: '75.00', totalDebit: '0.00' });
  });
});

describe('a forced authorization that was drawn from the buffer', () => {
  const advice = (cardId: string, amount: string) =>
    tell(api, {
      type: 'network',
      event: 'advice',
      cardId,
      reach: null,
      currency: 'USD',
      amount: new Decimal(amount),
      reference: `net-${keys++}`,
      sentAt: new Date(),
    });

  it.each([
    [
      'is cancelled',
      async (cardId: string, referenceId: string) => {
        await simulate(client, { cardId, type: 'cancel', referenceId, amount: '12.00' });
        await simulate(client, { cardId, type: 'cancel', referenceId });
      },
    ],
    [
      'expires',
      async (cardId: string) => {
        await api.database.query('update authorizations set expires_at = now() where card_id = $1', [cardId]);
        await expireAuthorizations(api.services, 500);
      },
    ],
  ])('returns to the buffer when the authorization %s', async (_, released) => {
    const card = await bufferedCard();
    const { transaction } = await advice(card.id, '20.00');
    expect(await balances(card)).toEqual(['75.00 20.00 0.00', '5.00', '98.80 0.20']);
    await released(card.id, transaction?.referenceId ?? '');
    expect(await balances(card)).toEqual(['75.00 0.00 0.00', '25.00', '99.00 0.00']);
    const { data } = (await client.call('GET', `/v1/cards/${card.id}/transactions?limit=1`)).body;
    expect(data[0]).toMatchObject({ type: 'withdraw', source: 'buffer', linkedId: expect.any(String) });
  });
});

describe('a withdrawal', () => {
  it('takes its money when accepted: of ten concurrent withdrawals the card covers four and refuses the others', async () => {
    const card = await bufferedCard();
    const withdraw = () => client.call('POST', `/v2/cards/${card.id}/withdraw`, { amount: '18.00' }, keyed());
    const answers = await Promise.all(Array.from({ length: 10 }, withdraw));
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted.map(({ body }) => body.status)).toEqual(Array.from({ length: 4 }, () => 'accepted'));
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 6 }, () => [409, 'insufficient_funds']),
    );
    expect(await balances(card)).toEqual(['3.00 0.00 0.00', '25.00', '171.00 0.00']);
    for (const { body } of accepted)
      expect(await carryOutOperation(api.services, body.operationId)).toBe('completed');
    expect(await balances(card)).toEqual(['3.00 0.00 0.00', '25.00', '171.00 0.00']);
  });

  it('stays accepted after a later authorization, a closure or a blocked user', async () => {
    const card = await bufferedCard();
    const path = `/v2/cards/${card.id}/withdraw`;
    const { operationId } = (await client.call('POST', path, { amount: '75.00' }, keyed())).body;
    const declined = await simulate(client, { cardId: card.id, type: 'authorization', amount: '0.01' });
    expect(declined.body.declineReason).toBe('insufficient_funds');
    await client.call('PATCH', `/v1/users/${card.userId}/status`, { status: 'blocked' });
    await client.call('DELETE', `/v1/cards/${card.id}`);
    expect(await carryOutOperation(api.services, operationId)).toBe('completed');
    const { result } = await operation(operationId);
    expect(result).toMatchObject({ principal: '75.00', buffer: '0.00', fee: '0.00', totalDebit: '0.00' });
    expect([result.accountTransactionIds.length, result.cardTransactionIds.length]).toEqual([1, 1]);
    expect(await toldOf(operationId)).toEqual([['accepted', 'completed']]);
  });

  it('is answered with its final status when the caller prefers to wait', async () => {
    const card = await bufferedCard();
    const path = `/v2/cards/${card.id}/withdraw`;
    const answer = await client.call('POST', path, { amount: '1.00' }, { ...keyed(), prefer: 'wait=20' });
    expect([answer.status, answer.body.status]).toEqual([202, 'completed']);
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
  });

  it('requires an idempotency key', async () => {
    const card = await bufferedCard();
    const answer = await client.call('POST', `/v2/cards/${card.id}/withdraw`, { amount: '1.00' });
    expect([answer.status, answer.body.code]).toEqual([400, 'idempotency_key_required']);
  });
});

describe('a closure', () => {
  it('waits for the processor, and then returns principal and buffer', async () => {
    const card = await bufferedCard();
    const asked = await client.call('DELETE', `/v2/cards/${card.id}`);
    expect([asked.status, asked.body.status]).toEqual([202, 'accepted']);
    const again = await client.call('DELETE', `/v2/cards/${card.id}`);
    expect([again.status, again.body]).toEqual([202, asked.body]);
    const { operationId } = asked.body;
    expect(await carryOutOperation(api.services, operationId)).toBe('processing');
    expect((await client.call('DELETE', `/v1/cards/${card.id}`)).body.status).toBe('closing');
    const declined = await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
    expect(declined.body.declineReason).toBe('card_closed');
    await simulate(client, { cardId: card.id, type: 'settle', amount: '5.00' }); // from the buffer
    expect(await balances(card)).toEqual(['75.00 0.00 5.00', '20.00', '98.67 0.00']);

    while ((await closeAtProcessor(api.services, card.id)) !== 'confirmed');
    expect(await balances(card)).toEqual(['0.00 0.00 5.00', '0.00', '193.67 0.00']);
    expect(await operation(operationId)).toMatchObject({
      status: 'completed',
      result: { principal: '75.00', buffer: '20.00', fee: '0.00', totalDebit: '0.00' },
    });
    expect((await client.call('DELETE', `/v2/cards/${card.id}`)).body).toMatchObject({ operationId });
    expect((await client.call('GET', `/v2/cards/${card.id}`)).body.status).toBe('closed');
  });

  it('takes a payment above the card’s balance; its account pays the rest and the fee', async () => {
    const card = await bufferedCard();
    const { operationId } = (await client.call('DELETE', `/v2/cards/${card.id}`)).body;
    expect(await carryOutOperation(api.services, operationId)).toBe('processing');
    const paid = await simulate(client, { cardId: card.id, type: 'settle', amount: '150.00' });
    expect([paid.status, paid.body.type]).toEqual([201, 'settle']);
    expect((await client.call('GET', `/v1/cards/${card.id}`)).body).toMatchObject({
      status: 'closing',
      freezeReasons: [],
    });
    while ((await closeAtProcessor(api.services, card.id)) !== 'confirmed');
    expect(await balances(card)).toEqual(['0.00 0.00 150.00', '0.00', '48.15 0.00']);
    expect((await client.call('GET', `/v2/cards/${card.id}`)).body.status).toBe('closed');
  });

  it('is completed by its operation when a process dies after the confirmation', async () => {
    const card = await bufferedCard();
    const { operationId } = (await client.call('DELETE', `/v2/cards/${card.id}`)).body;
    await api.database.query('update cards set processor_closed_at = now() where id = $1', [card.id]);
    expect(await carryOutOperation(api.services, operationId)).toBe('completed');
    expect(await balances(card)).toEqual(['0.00 0.00 0.00', '0.00', '199.00 0.00']);
  });

  it('at once (v1) returns the buffer and creates no operation', async () => {
    const card = await bufferedCard();
    expect((await client.call('DELETE', `/v1/cards/${card.id}`)).body.status).toBe('closed');
    expect(await balances(card)).toEqual(['0.00 0.00 0.00', '0.00', '199.00 0.00']);
    const asked = await client.call('DELETE', `/v2/cards/${card.id}`);
    expect([asked.status, asked.body.code]).toEqual([409, 'card_closed']);
  });
});

describe('a freeze for insufficient funds', () => {
  const freeze = (id: string, how: 'freeze' | 'unfreeze', reason: string) =>
    client.call('POST', `/v2/cards/${id}/${how}`, { reason });

  it('stays, when the client requested it, until it is removed or the card is funded', async () => {
    const card = await bufferedCard();
    const { id: cardId } = card;
    expect((await freeze(cardId, 'freeze', 'insufficient_funds')).body).toMatchObject({
      status: 'frozen',
      freezeReasons: ['insufficient_funds'],
      buffer: { amount: '25.00' },
    });
    await simulate(client, { cardId, type: 'refund', amount: '1.00' });
    const status = async () => (await client.call('GET', `/v2/cards/${cardId}`)).body.status;
    expect(await status()).toBe('frozen');
    await client.call('POST', `/v1/cards/${cardId}/topup`, { amount: '1.00' });
    expect(await status()).toBe('active');
    await freeze(cardId, 'freeze', 'insufficient_funds');
    await freeze(cardId, 'freeze', 'manual');
    expect((await freeze(cardId, 'unfreeze', 'insufficient_funds')).body.freezeReasons).toEqual(['manual']);
    expect((await freeze(cardId, 'unfreeze', 'manual')).body.status).toBe('active');
  });

  it('cannot be removed from a card below zero', async () => {
    const { id: cardId } = await bufferedCard();
    await simulate(client, { cardId, type: 'settle', amount: '150.00' });
    const refused = await freeze(cardId, 'unfreeze', 'insufficient_funds');
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_transition']);
    await simulate(client, { cardId, type: 'refund', amount: '60.00' });
    expect((await client.call('GET', `/v2/cards/${cardId}`)).body.status).toBe('active');
  });

  it('accepts no other reasons', async () => {
    const { id } = await bufferedCard();
    const answer = await freeze(id, 'freeze', 'risk');
    expect([answer.status, answer.body.field]).toEqual([400, 'reason']);
  });
});
