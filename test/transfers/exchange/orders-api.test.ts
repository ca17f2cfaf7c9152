import { switchOff, switchOn } from '../../../src/process/switches/operations';
import { cancelOrder } from '../../../src/transfers/exchange/orders/decide';
import { exchangeKey } from '../../../src/transfers/exchange/orders/kind';
import { fund, masterAccount } from '../../support/cards';
import {
  ask,
  balance,
  breaks,
  check,
  dealt,
  internal,
  lines,
  looked,
  newKey,
  ordered,
  read,
  type World,
  world,
} from './support';

let on: World;
beforeAll(async () => {
  on = await world();
});
afterAll(() => on.api.close());

const rows = async (text: string, ...values: unknown[]) =>
  on.api.database.query<Record<string, string>>(text, values);

it('holds the amount, sells it, waits for the settlement and books exact amounts', async () => {
  const before = await balance(on.client, on.eur);
  const answer = await ask(on);
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    fromAccountId: on.eur,
    toAccountId: on.usd,
    fromCurrency: 'EUR',
    toCurrency: 'USD',
    status: 'created',
    amount: '100.00',
    fee: '0.00',
    sold: '0.00',
    bought: '0.00',
  });
  const { id } = answer.body;
  expect(await balance(on.client, on.eur)).toBe('900.00 100.00');
  expect(before).toBe('1000.00 0.00');

  expect(await looked(on, id)).toMatchObject({ status: 'executing', open: true });
  expect(on.double.orders.get(exchangeKey(id))).toMatchObject({ from: 'EUR', to: 'USD' });
  on.double.say(exchangeKey(id), 'filled', '60 65.04', '40 43.37');
  expect(await looked(on, id)).toMatchObject({ status: 'awaiting_settlement', open: true });
  expect(await read(on, id)).toMatchObject({ sold: '100.00', bought: '108.41', rate: '1.0841' });
  // The exchange owes the bought amount, which is not the client's yet.
  expect(await balance(on.client, on.eur)).toBe('900.00 100.00');
  expect(await lines(on, on.usd)).toEqual([]);
  expect([await internal(on, 'settlement:EUR'), await internal(on, 'settlement:USD')]).toEqual([
    100, -108.41,
  ]);
  expect([await internal(on, 'fx_position:EUR'), await internal(on, 'fx_position:USD')]).toEqual([
    -100, 108.41,
  ]);

  on.double.balances = { EUR: '-100', USD: '108.41' };
  expect((await check(on)).body).toMatchObject({
    ordersReleased: [id],
    increase: '108.41',
    leftOver: '0.00',
  });
  expect(await read(on, id)).toMatchObject({
    status: 'completed',
    sold: '100.00',
    bought: '108.41',
    fee: '0.00',
  });
  expect(await lines(on, on.eur)).toEqual(['transfer/exchange_out -100.00']);
  expect(await lines(on, on.usd)).toEqual(['transfer/exchange_in 108.41']);
  expect(await balance(on.client, on.eur)).toBe('900.00 0.00');
  expect([await internal(on, 'fx_position:EUR'), await internal(on, 'fx_position:USD')]).toEqual([0, 0]);
  // All entries have one reference, and each status is told once and in order.
  const legs = await rows(`select distinct reference_id from ledger_legs where reference_id = $1`, id);
  expect(legs).toHaveLength(1);
  const told = await rows(
    `select data::json->>'status' as status from events where event = 'transfer.status_changed' and data::json->>'recordId' = $1 order by number`,
    id,
  );
  expect(told.map(({ status }) => status)).toEqual(['executing', 'awaiting_settlement', 'completed']);
  const history = await on.client.call('GET', `/v2/accounts/${on.eur}/transactions?kind=exchange_order`);
  expect(history.body.data.map(({ status }: { status: string }) => status)).toEqual([
    ...['completed', 'awaiting_settlement', 'executing', 'created'],
  ]);
});

it('a partial fill is booked with its share of the fee, and the rest of the hold is released', async () => {
  const settings = JSON.stringify({ exchange: { order: { feePercent: '0.5' } } });
  await on.api.database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
    on.client.clientId,
    settings,
  ]);
  const before = Number((await balance(on.client, on.eur)).split(' ')[0]);
  const id = await dealt(on, '100.00', '49.75 53.93');
  expect((await ask(on, { amount: '100.00' })).body).toMatchObject({ fee: '0.50' });
  on.double.balances = { EUR: '-149.75', USD: '162.34' };
  await check(on);
  expect(await read(on, id)).toMatchObject({
    status: 'completed',
    sold: '49.75',
    fee: '0.25',
    bought: '53.93',
  });
  expect((await lines(on, on.eur)).slice(-2)).toEqual([
    'transfer/exchange_out -49.75',
    'fee/exchange_fee -0.25',
  ]);
  expect(await internal(on, 'fees:EUR')).toBe(0.25);
  expect(Number((await balance(on.client, on.eur)).split(' ')[0])).toBe(before - 50 - 100);
  await on.api.database.query(`update tenants set settings = settings - 'exchange' where id = $1`, [
    on.client.clientId,
  ]);
});

describe('a fee below a minor unit', () => {
  const feePercent = (percent: string) =>
    on.api.database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
      on.client.clientId,
      JSON.stringify({ exchange: { order: { feePercent: percent } } }),
    ]);
  afterEach(() => feePercent('0'));

  it('is rounded up, so that small orders are no cheaper', async () => {
    await feePercent('0.5');
    expect((await ask(on, { amount: '0.99' })).body).toMatchObject({ fee: '0.01' });
    expect((await ask(on, { amount: '2.01' })).body).toMatchObject({ fee: '0.02' });
    expect(await ask(on, { amount: '0.01' })).toMatchObject({ status: 400, body: { field: 'amount' } });
  });

  it('is rounded up for a partial fill', async () => {
    await feePercent('0.5');
    const id = await dealt(on, '100.00', '0.50 0.54');
    on.double.balances = { EUR: '-1000', USD: '1000' };
    await check(on);
    expect(await read(on, id)).toMatchObject({ status: 'completed', sold: '0.50', fee: '0.01' });
  });
});

it.each([
  ['a partial fill of an all-or-nothing order', { minReceive: '105.00' }, '50 60'],
  ['less than minReceive', { minReceive: '105.00' }, '100 104.99'],
  ['a sale without a purchase', {}, '100 0'],
])('%s goes to suspense with a break, not to the client', async (_, given, fill) => {
  const [eur, usd] = [await balance(on.client, on.eur), await balance(on.client, on.usd)];
  const id = await ordered(on, given);
  await looked(on, id);
  on.double.say(exchangeKey(id), 'filled', fill);
  expect(await looked(on, id)).toMatchObject({ status: 'failed', open: false });
  expect(await read(on, id)).toMatchObject({ status: 'failed', failure: 'not_as_ordered', bought: '0.00' });
  expect([await balance(on.client, on.eur), await balance(on.client, on.usd)]).toEqual([eur, usd]);
  const [sold, bought] = fill.split(' ').map(Number);
  const shown = [`transfer_suspense -${sold} EUR`, ...(bought ? [`transfer_suspense ${bought} USD`] : [])];
  expect(await breaks(on, id)).toEqual(shown);
});

it('the amount that was sold beyond the order goes to suspense', async () => {
  const id = await dealt(on, '100.00', '110 121');
  expect(await read(on, id)).toMatchObject({
    status: 'awaiting_settlement',
    sold: '100.00',
    bought: '110.00',
  });
  expect(await breaks(on, id)).toEqual(['transfer_suspense -10 EUR', 'transfer_suspense 11 USD']);
});

it.each([
  ['refuses it', async (_: string) => undefined, 'market_closed'],
  ['fills nothing', async (id: string) => on.double.say(exchangeKey(id), 'filled'), 'nothing_filled'],
  ['reports a failure', async (id: string) => on.double.say(exchangeKey(id), 'failed'), 'provider_refused'],
])('the order fails and the hold is released when the exchange %s', async (what, act, failure) => {
  const before = await balance(on.client, on.eur);
  if (what === 'refuses it') on.double.next.push('refused');
  const id = await ordered(on);
  await looked(on, id);
  await act(id);
  expect(await looked(on, id)).toMatchObject({ status: 'failed', open: false });
  expect(await read(on, id)).toMatchObject({ failure });
  expect(await balance(on.client, on.eur)).toBe(before);
});

it('an order whose answer was lost is asked for under its key, and dealt once', async () => {
  const id = await ordered(on);
  on.double.next.push('lost');
  await expect(looked(on, id)).rejects.toThrow();
  expect(await looked(on, id)).toMatchObject({ status: 'executing' });
  expect([...on.double.orders.keys()].filter((key) => key === exchangeKey(id))).toHaveLength(1);
});

it('an operator cancels only orders that the exchange has not had', async () => {
  const cancel = (orderId: string) =>
    on.api.database.transaction((tx) =>
      cancelOrder(on.api.services, tx, { orderId, reason: 'asked for', decidedBy: 'operator:ida' }),
    );
  const before = await balance(on.client, on.eur);
  const id = await ordered(on);
  await cancel(id);
  expect(await read(on, id)).toMatchObject({ status: 'cancelled', failure: 'cancelled_by_operator' });
  expect(await balance(on.client, on.eur)).toBe(before);
  expect(await looked(on, id)).toMatchObject({ status: 'cancelled', open: false });
  expect(on.double.orders.has(exchangeKey(id))).toBe(false);
  await expect(cancel(id)).rejects.toMatchObject({ code: 'invalid_transition' });
  // The answer to the other order was lost, so the exchange may have it.
  const other = await ordered(on);
  on.double.next.push('lost');
  await expect(looked(on, other)).rejects.toThrow();
  await expect(cancel(other)).rejects.toMatchObject({ code: 'invalid_transition' });
});

it('a stopped exchange refuses new orders, and an order that was not given waits', async () => {
  const id = await ordered(on);
  const party = { kind: 'party' as const, name: 'exchange', tenantId: null };
  const how = { at: new Date(), by: 'operator:ida', reason: 'a test' };
  const off = () => on.api.database.transaction((tx) => switchOff(tx, party, how));
  const again = () => on.api.database.transaction((tx) => switchOn(tx, party, how));
  await off();
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await ask(on)).toMatchObject({ status: 403, body: { code: 'capability_disabled' } });
  await expect(looked(on, id)).rejects.toThrow();
  expect(await read(on, id)).toMatchObject({ status: 'created' });
  await again();
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await looked(on, id)).toMatchObject({ status: 'executing' });
});

it.each([
  ['the same account', (w: World) => ({ toAccountId: w.eur }), 400, 'toAccountId'],
  [
    'an unknown source account',
    () => ({ fromAccountId: 'acc_01jz0000000000000000000000' }),
    404,
    'fromAccountId',
  ],
  [
    'an unknown target account',
    () => ({ toAccountId: 'acc_01jz0000000000000000000000' }),
    404,
    'toAccountId',
  ],
  ['an amount with a tenth of a cent', () => ({ amount: '1.001' }), 400, 'amount'],
  ['a zero amount', () => ({ amount: '0' }), 400, 'amount'],
  ['minReceive with a tenth of a cent', () => ({ minReceive: '1.001' }), 400, 'minReceive'],
  ['more than the balance', () => ({ amount: '100000.00' }), 409, 'amount'],
])('%s is refused, and leaves no trace', async (_, given, status, field) => {
  const before = await rows('select count(*) from transfers');
  const answer = await ask(on, given(on));
  expect(answer).toMatchObject({ status, body: { field } });
  expect(await rows('select count(*) from transfers')).toEqual(before);
});

it.each([
  ['fromAccountId', 'eur'],
  ['toAccountId', 'usd'],
] as const)('another tenant’s account as %s is a 404, and leaves no trace', async (field, currency) => {
  const other = await on.api.client();
  const theirs = await masterAccount(other, currency.toUpperCase());
  await fund(on.api, theirs, '1000.00');
  const before = await rows('select count(*) from transfers');
  expect(await ask(on, { [field]: theirs })).toMatchObject({ status: 404, body: { field } });
  expect(await balance(other, theirs)).toBe('1000.00 0.00');
  expect(await rows('select count(*) from transfers')).toEqual(before);
});

it('a target account of the same currency is refused', async () => {
  const { id: userId } = (await on.client.call('POST', '/v1/users', {})).body;
  const path = `/v1/users/${userId}/accounts`;
  const { id } = (await on.client.call('POST', path, { currency: 'EUR' })).body;
  const before = await rows('select count(*) from transfers');
  expect(await ask(on, { toAccountId: id })).toMatchObject({ status: 400, body: { field: 'toAccountId' } });
  expect(await rows('select count(*) from transfers')).toEqual(before);
});

it('lists the client’s orders, newest first, by status, account and currency', async () => {
  const client = await on.api.client();
  const [eur, usd] = [await masterAccount(client, 'EUR'), await masterAccount(client, 'USD')];
  for (const account of [eur, usd]) await fund(on.api, account, '50.00');
  const given = { fromAccountId: eur, toAccountId: usd, amount: '10.00' };
  const first = await ordered({ client, eur, usd }, given);
  const second = await ordered({ client, eur, usd }, { ...given, fromAccountId: usd, toAccountId: eur });
  const list = async (query: string) =>
    (await client.call('GET', `/v1/exchange/orders?${query}`)).body as {
      data: { id: string }[];
      nextCursor: string | null;
    };
  const ids = async (query = '') => (await list(query)).data.map(({ id }) => id);
  expect(await ids()).toEqual([second, first]);
  expect((await list('')).data[0]).toEqual(await read({ client }, second));
  expect(await ids(`fromAccountId=${eur}`)).toEqual([first]);
  expect(await ids('fromCurrency=USD')).toEqual([second]);
  expect(await ids('status=created')).toEqual([second, first]);
  expect(await ids('status=completed')).toEqual([]);
  const { data, nextCursor } = await list('limit=1');
  expect([data.map(({ id }) => id), await ids(`limit=1&cursor=${nextCursor}`)]).toEqual([[second], [first]]);
  const other = await on.api.client();
  const foreign = await other.call('GET', `/v1/exchange/orders?fromAccountId=${eur}`);
  expect(foreign.body).toMatchObject({ data: [], nextCursor: null });
});

it('requires a key, repeats the answer under it, and is invisible to other tenants', async () => {
  expect((await ask(on, {}, {} as never)).body.code).toBe('idempotency_key_required');
  const key = newKey();
  const [one, again] = [await ask(on, {}, key), await ask(on, {}, key)];
  expect(again.text).toBe(one.text);
  const other = await on.api.client();
  expect((await other.call('GET', `/v1/exchange/orders/${one.body.id}`)).status).toBe(404);
  expect((await on.admin.call('GET', `/v1/exchange/orders/${one.body.id}`)).status).toBe(200);
});

it('the books follow a change after the release, with a break', async () => {
  const id = await dealt(on, '10.00', '10 11');
  on.double.balances = { USD: '100000' };
  await check(on);
  expect(await read(on, id)).toMatchObject({ status: 'completed' });
  const usd = Number((await balance(on.client, on.usd)).split(' ')[0]);
  on.double.say(exchangeKey(id), 'filled', '10 10.50');
  expect(await looked(on, id)).toMatchObject({ status: 'completed' });
  expect(Number((await balance(on.client, on.usd)).split(' ')[0])).toBe(usd - 0.5);
  expect((await lines(on, on.usd)).at(-1)).toBe('withdraw/exchange_in_reversed -0.50');
  expect(await breaks(on, id)).toEqual(['exchange_changed_after_release -0.5 USD']);
  on.double.say(exchangeKey(id), 'failed');
  expect(await looked(on, id)).toMatchObject({ status: 'failed' });
  expect((await lines(on, on.eur)).at(-1)).toBe('deposit/exchange_out_reversed 10.00');
  expect(await breaks(on, id)).toContain('transfer_contradicted');
});
