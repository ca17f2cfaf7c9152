import { exchangeKey } from '../../../src/transfers/exchange/orders/kind';
import { balance, check, dealt, internal, looked, ordered, read, type World, world } from './support';

let on: World;
beforeEach(async () => {
  on = await world();
});
afterEach(() => on.api.close());

const statusesOf = (...ids: string[]) => Promise.all(ids.map(async (id) => (await read(on, id)).status));

it('releases what is covered, the oldest first, each whole and none overtaken, and keeps what is left over', async () => {
  const a = await dealt(on, '50.00', '50 55');
  const b = await dealt(on, '100.00', '100 110');
  const c = await dealt(on, '10.00', '10 11');
  on.double.balances = { USD: '60' };
  expect((await check(on)).body).toMatchObject({
    ...{ currency: 'USD', previous: '0.00', current: '60.00', increase: '60.00' },
    ...{ ordersReleased: [a], leftOver: '5.00' },
  });
  // 11.00 would do for the last, which may not overtake.
  on.double.balances = { USD: '80' };
  expect((await check(on)).body).toMatchObject({
    ...{ previous: '60.00', increase: '20.00', ordersReleased: [], leftOver: '25.00' },
  });
  expect(await statusesOf(a, b, c)).toEqual(['completed', 'awaiting_settlement', 'awaiting_settlement']);
  on.double.balances = { USD: '176' };
  expect((await check(on)).body).toMatchObject({
    increase: '96.00',
    ordersReleased: [b, c],
    leftOver: '0.00',
  });
  expect(await statusesOf(a, b, c)).toEqual(['completed', 'completed', 'completed']);
  expect(await balance(on.client, on.usd)).toBe('176.00 0.00');
});

it('what we have sold of a currency is no decrease of it', async () => {
  const id = await dealt(on, '100.00', '100 110');
  on.double.balances = { USD: '110', EUR: '-100' };
  await check(on, 'EUR');
  await check(on);
  // 40 USD are sold back, and 20 USD of something else have come.
  const back = await ordered(on, { fromAccountId: on.usd, toAccountId: on.eur, amount: '40.00' });
  await looked(on, back);
  on.double.say(exchangeKey(back), 'filled', '40 36');
  await looked(on, back);
  on.double.balances = { USD: '90', EUR: '-100' };
  expect((await check(on)).body).toMatchObject({
    previous: '110.00',
    current: '90.00',
    increase: '20.00',
    leftOver: '20.00',
  });
  on.double.balances = { USD: '90', EUR: '-64' };
  expect((await check(on, 'EUR')).body).toMatchObject({ increase: '36.00', ordersReleased: [back] });
  expect(await statusesOf(id, back)).toEqual(['completed', 'completed']);
});

it('what has gone before our books know of it is made up first', async () => {
  await dealt(on, '100.00', '100 110');
  on.double.balances = { USD: '110' };
  await check(on);
  const waiting = await dealt(on, '50.00', '50 55');
  const back = await ordered(on, { fromAccountId: on.usd, toAccountId: on.eur, amount: '60.00' });
  await looked(on, back);
  // It has sold them, and we have not heard.
  on.double.say(exchangeKey(back), 'filled', '60 54');
  on.double.balances = { USD: '50' };
  expect((await check(on)).body).toMatchObject({ increase: '0.00', leftOver: '-60.00', ordersReleased: [] });
  await looked(on, back);
  expect((await check(on)).body).toMatchObject({ increase: '60.00', leftOver: '0.00', ordersReleased: [] });
  expect(await statusesOf(waiting)).toEqual(['awaiting_settlement']);
});

it('a reading that is not newer than the last check’s counts as that one', async () => {
  const id = await dealt(on, '50.00', '50 55');
  on.double.balances = { USD: '10' };
  await check(on);
  on.double.clock.stands = true;
  on.double.balances = { USD: '100' };
  expect((await check(on)).body).toMatchObject({
    previous: '10.00',
    current: '10.00',
    increase: '0.00',
    ordersReleased: [],
  });
  on.double.clock.stands = false;
  expect((await check(on)).body).toMatchObject({
    previous: '10.00',
    increase: '90.00',
    ordersReleased: [id],
  });
});

it('fifty at once release each order once, and count what has come once', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(await dealt(on, '10.00', '10 11'));
  on.double.balances = { USD: '40' };
  const answers = await Promise.all(Array.from({ length: 50 }, () => check(on)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const released = answers.flatMap(({ body }) => body.ordersReleased as string[]);
  expect(released).toEqual(ids.slice(0, 3));
  const increases = answers.reduce((sum, { body }) => sum + Number(body.increase), 0);
  expect(increases).toBe(40);
  expect(await balance(on.client, on.usd)).toBe('33.00 0.00');
  expect(await internal(on, 'settlement:USD')).toBe(-55);
});

it('checks and the looks of their orders’ workflows hinder nobody for good', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 6; n += 1) ids.push(await dealt(on, '10.00', '10 11'));
  on.double.balances = { USD: '66' };
  await Promise.all([
    ...ids.map((id) => looked(on, id)),
    check(on),
    check(on),
    ...ids.map((id) => looked(on, id)),
  ]);
  expect(new Set(await statusesOf(...ids))).toEqual(new Set(['completed']));
});

it('is the same for the same key, is the admin’s alone, and is written down', async () => {
  await dealt(on, '50.00', '50 55');
  on.double.balances = { USD: '60' };
  const key = { 'x-idempotency-key': 'one' };
  const [one, again] = [await check(on, 'USD', key), await check(on, 'USD', key)];
  expect(again.text).toBe(one.text);
  const body = { currency: 'USD' };
  expect((await on.client.call('POST', '/v1/exchange/settlement/check-increase', body)).status).toBe(403);
  expect((await on.client.call('GET', '/v1/exchange/settlement/balance')).status).toBe(403);
  expect((await check(on, 'XXX')).status).toBe(400);
  const audited = await on.api.database.query(
    `select after from audit_log where action = 'exchange.settlement.check-increase'`,
  );
  expect(audited).toHaveLength(1);
});

it('while the exchange cannot be asked nothing is counted', async () => {
  on.double.isAway = true;
  expect((await check(on)).status).toBe(503);
  expect((await on.admin.call('GET', '/v1/exchange/settlement/balance')).status).toBe(503);
  expect(await on.api.database.query('select * from settlement_checks')).toEqual([]);
});

it('shows what is booked beside what is reported', async () => {
  await dealt(on, '50.00', '50 55');
  on.double.balances = { EUR: '-50', GBP: '7' };
  const { body } = await on.admin.call('GET', '/v1/exchange/settlement/balance');
  expect(body).toMatchObject([
    { currency: 'EUR', booked: '-50.00', reported: '-50.00', difference: '0.00' },
    { currency: 'GBP', booked: '0.00', reported: '7.00', difference: '7.00' },
    { currency: 'USD', booked: '55.00', reported: '0.00', difference: '-55.00' },
  ]);
});

it.each([
  ['taken back', 'failed', [], '0', '0.00'],
  ['lowered', 'filled', ['100 100'], '100', '0.00'],
  ['raised', 'filled', ['100 120'], '120', '0.00'],
] as const)(
  'what is %s after its release is counted as gone or come, not kept from those that wait',
  async (_, status, fills, there, leftOver) => {
    const first = await dealt(on, '100.00', '100 110');
    on.double.balances = { USD: '110' };
    await check(on);
    on.double.say(exchangeKey(first), status, ...fills);
    await looked(on, first);
    on.double.balances = { USD: there };
    expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver });
    const second = await dealt(on, '50.00', '50 55');
    on.double.balances = { USD: String(Number(there) + 55) };
    expect((await check(on)).body).toMatchObject({ increase: '55.00', ordersReleased: [second], leftOver });
  },
);
