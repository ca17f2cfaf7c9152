import { checkLedger } from '../../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../../support/api';
import { activeCard, cardBalance, fund, simulate, type TestCard } from '../../support/cards';

let api: TestApi;
let client: Client;
let card: TestCard;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
beforeEach(async () => {
  card = await activeCard(api, client, '100.00');
  await fund(api, card.accountId, '50.00');
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const events = async () =>
  Number((await api.database.query<{ count: string }>('select count(*) from events'))[0]?.count);

it('takes a card through its ordinary life', async () => {
  const auth = await simulate(client, {
    cardId: card.id,
    type: 'authorization',
    amount: '60.00',
    merchant: { name: 'Shop', mcc: '5411' },
  });
  expect(auth.status).toBe(201);
  expect(auth.body).toMatchObject({
    cardId: card.id,
    type: 'authorization',
    transactionAmount: '60.00',
    transactionCurrency: 'USD',
    billingAmount: '60.00',
    merchant: { name: 'Shop', mcc: '5411' },
    balanceAfter: { available: '40.00', pending: '60.00', spent: '0.00' },
  });
  const { referenceId } = auth.body;
  const first = await simulate(client, { cardId: card.id, type: 'settle', amount: '20.00', referenceId });
  expect(first.body).toMatchObject({ type: 'settle', referenceId, linkedId: auth.body.id });
  const second = await simulate(client, {
    cardId: card.id,
    type: 'settle',
    amount: '30.00',
    final: true,
    referenceId,
  });
  expect(second.body.referenceId).not.toBe(referenceId);
  const refund = await simulate(client, {
    cardId: card.id,
    type: 'refund',
    amount: '5.00',
    referenceId: second.body.referenceId,
  });
  expect(refund.body).toMatchObject({ type: 'refund', referenceId, linkedId: second.body.id });
  expect(await cardBalance(client, card.id)).toBe('55.00 0.00 45.00');

  const shown = await client.call('GET', `/v1/cards/transactions/${first.body.id}`);
  expect(shown.body.authorization).toMatchObject({
    authorized: '60.00',
    settled: '50.00',
    reversed: '10.00',
    refunded: '5.00',
    remaining: '0.00',
  });
  expect(shown.body.chain.map((event: { type: string }) => event.type)).toEqual([
    'authorization',
    'settle',
    'settle',
    'cancel',
    'refund',
  ]);
});

it('answers a final settlement with the balance after its own release', async () => {
  const auth = await simulate(client, { cardId: card.id, type: 'authorization', amount: '60.00' });
  const { referenceId } = auth.body;
  const settle = { cardId: card.id, type: 'settle', amount: '20.00', final: true, referenceId };
  const settled = await simulate(client, settle);
  expect(settled.body).toMatchObject({
    type: 'settle',
    balanceAfter: { available: '80.00', pending: '0.00', spent: '20.00' },
  });
  expect(await cardBalance(client, card.id)).toBe('80.00 0.00 20.00');
  const { body } = await client.call('GET', `/v1/cards/${card.id}/transactions`);
  const lines = body.data.map((line: any) => [line.type, ...Object.values(line.balanceAfter)].join(' '));
  expect(lines.slice(0, 3)).toEqual([
    'cancel 80.00 0.00 20.00',
    'settle 40.00 40.00 20.00',
    'authorization 40.00 60.00 0.00',
  ]);
});

it('answers a refund on a closed card with the balance after it has returned to the account', async () => {
  const auth = await simulate(client, { cardId: card.id, type: 'authorization', amount: '60.00' });
  const { referenceId } = auth.body;
  await simulate(client, { cardId: card.id, type: 'settle', final: true, referenceId });
  expect((await client.call('DELETE', `/v1/cards/${card.id}`)).status).toBe(200);
  const refund = await simulate(client, { cardId: card.id, type: 'refund', amount: '5.00', referenceId });
  expect(refund.body.balanceAfter).toEqual({ available: '0.00', pending: '0.00', spent: '55.00' });
});

it('answers 201 with the decline, and stores the answer under the key', async () => {
  const headers = { 'x-idempotency-key': 'decline-1' };
  const first = await simulate(
    client,
    { cardId: card.id, type: 'authorization', amount: '1000.00' },
    headers,
  );
  expect(first.status).toBe(201);
  expect(first.body).toMatchObject({ type: 'decline', declineReason: 'insufficient_funds' });
  const again = await simulate(
    client,
    { cardId: card.id, type: 'authorization', amount: '1000.00' },
    headers,
  );
  expect([again.status, again.text, again.headers.get('x-idempotent-replayed')]).toEqual([
    201,
    first.text,
    'true',
  ]);
});

it('gives 50 concurrent identical requests one effect and one answer', async () => {
  const headers = { 'x-idempotency-key': 'once' };
  const body = { cardId: card.id, type: 'authorization', amount: '1.00' };
  const answers = await Promise.all(Array.from({ length: 50 }, () => simulate(client, body, headers)));
  const done = answers.filter((answer) => answer.body.code !== 'idempotency_in_progress');
  expect(done.length).toBeGreaterThan(0);
  expect(new Set(done.map((answer) => answer.text)).size).toBe(1);
  expect(await cardBalance(client, card.id)).toBe('99.00 1.00 0.00');
  const other = await simulate(client, { ...body, amount: '2.00' }, headers);
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
});

it('stores refusals under the key, apart from other answers of the batch', async () => {
  const body = { cardId: card.id, type: 'refund', amount: '1.00' };
  const auth = await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
  const referenceId = auth.body.referenceId as string;
  const [refused, fine, unknown] = await Promise.all([
    simulate(client, { ...body, referenceId }, { 'x-idempotency-key': 'refused' }),
    simulate(client, body),
    simulate(client, { ...body, referenceId: 'ref_unknown' }, { 'x-idempotency-key': 'unknown' }),
  ]);
  expect([refused.status, refused.body.code]).toEqual([409, 'limit_exceeded']);
  expect(fine.status).toBe(201);
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
  await simulate(client, { cardId: card.id, type: 'settle', referenceId });
  const replayed = await simulate(client, { ...body, referenceId }, { 'x-idempotency-key': 'refused' });
  expect([replayed.status, replayed.text]).toEqual([409, refused.text]);
  const freed = await simulate(
    client,
    { ...body, referenceId: 'ref_unknown' },
    { 'x-idempotency-key': 'unknown' },
  );
  expect(freed.headers.get('x-idempotent-replayed')).toBeNull();
});

it('allows exactly K of N concurrent authorizations when the money covers K', async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, () =>
      simulate(client, { cardId: card.id, type: 'authorization', amount: '10.00' }),
    ),
  );
  expect(answers.filter((answer) => answer.body.type === 'authorization')).toHaveLength(10);
  expect(answers.filter((answer) => answer.body.type === 'decline')).toHaveLength(50);
  expect(await cardBalance(client, card.id)).toBe('0.00 100.00 0.00');
});

it('declines the cards of a blocked user and funds none', async () => {
  const set = (status: string) =>
    client.call('PATCH', `/v1/users/${card.userId}/status`, { status, reason: 'test' });
  expect((await set('blocked')).status).toBe(200);
  const declined = await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
  expect(declined.body).toMatchObject({ type: 'decline', declineReason: 'user_blocked' });
  const refused = await client.call('POST', `/v1/cards/${card.id}/topup`, { amount: '1.00' });
  expect([refused.status, refused.body.code]).toEqual([409, 'user_blocked']);
  await set('active');
  const fine = await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
  expect(fine.body.type).toBe('authorization');
});

describe('bad input', () => {
  const cases: [string, Record<string, unknown>, number, string, string?][] = [
    ['no card', { type: 'authorization', amount: '1.00' }, 400, 'invalid_request', 'cardId'],
    [
      'an unknown card',
      { cardId: 'card_x', type: 'authorization', amount: '1.00' },
      404,
      'not_found',
      'cardId',
    ],
    ['no type', { amount: '1.00' }, 400, 'invalid_request', 'type'],
    ['another type', { type: 'issue', amount: '1.00' }, 400, 'invalid_request', 'type'],
    ['no amount', { type: 'authorization' }, 400, 'invalid_request', 'amount'],
    ['a number as amount', { type: 'authorization', amount: 1 }, 400, 'invalid_request', 'amount'],
    ['zero', { type: 'authorization', amount: '0.00' }, 400, 'invalid_request', 'amount'],
    ['a negative amount', { type: 'authorization', amount: '-1.00' }, 400, 'invalid_request', 'amount'],
    ['an exponent', { type: 'authorization', amount: '1e3' }, 400, 'invalid_request', 'amount'],
    ['too many decimals', { type: 'authorization', amount: '1.001' }, 400, 'invalid_request', 'amount'],
    [
      'sixteen digits',
      { type: 'authorization', amount: '1234567890123456' },
      400,
      'invalid_request',
      'amount',
    ],
    [
      'an unknown currency',
      { type: 'authorization', amount: '1.00', currency: 'XXX' },
      400,
      'invalid_request',
      'currency',
    ],
    [
      'an unknown field',
      { type: 'authorization', amount: '1.00', colour: 'red' },
      400,
      'invalid_request',
      'colour',
    ],
    [
      'an unknown field of the merchant',
      { type: 'authorization', amount: '1.00', merchant: { web: 'x' } },
      400,
      'invalid_request',
      'merchant.web',
    ],
    [
      'a wrong mcc',
      { type: 'authorization', amount: '1.00', merchant: { mcc: '12' } },
      400,
      'invalid_request',
      'merchant.mcc',
    ],
    ['a cancel of nothing', { type: 'cancel' }, 404, 'not_found', 'referenceId'],
  ];
  it.each(cases)('%s', async (_name, body, status, code, field) => {
    const before = await events();
    const answer = await simulate(client, { ...(_name === 'no card' ? {} : { cardId: card.id }), ...body });
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([status, code, field]);
    expect(await events()).toBe(before);
  });

  it('answers 404 for the card of another tenant', async () => {
    const other = await api.client();
    const answer = await simulate(other, { cardId: card.id, type: 'authorization', amount: '1.00' });
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  });
});

it('lists the events of a card in pages, with none missed or repeated', async () => {
  for (let turn = 0; turn < 7; turn += 1)
    await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: { body: { data: { id: string }[]; nextCursor: string | null } } = await client.call(
      'GET',
      `/v1/cards/${card.id}/transactions?limit=3${cursor ? `&cursor=${cursor}` : ''}`,
    );
    seen.push(...page.body.data.map((event) => event.id));
    cursor = page.body.nextCursor;
    await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' }); // other events meanwhile
  } while (cursor);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toHaveLength(8);
  const mine = await client.call('GET', `/v1/users/${card.userId}/card/transactions?type=issue`);
  expect(mine.body.data).toHaveLength(1);
});
