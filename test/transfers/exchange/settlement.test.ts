/** @long */
import { Decimal } from '../../../src/kernel/money/money';
import { exchangeKey } from '../../../src/transfers/exchange/orders/kind';
import { readSettlement } from '../../../src/transfers/exchange/settlement/readings';
import { moveSettlement } from '../../../src/transfers/settlement/move';
import { fund } from '../../support/cards';
import { countConflicts } from '../../support/conflicts';
import {
  balance,
  check,
  dealt,
  internal,
  later,
  looked,
  newKey,
  ordered,
  statusesOf,
  type World,
  world,
} from './support';
import { destinationOf } from './withdrawals/support';

let on: World;
beforeEach(async () => {
  on = await world();
});
afterEach(() => on.api.close());

it('releases covered orders as a whole, oldest first, without overtaking, and keeps the rest', async () => {
  const a = await dealt(on, '50.00', '50 55');
  const b = await dealt(on, '100.00', '100 110');
  const c = await dealt(on, '10.00', '10 11');
  on.double.balances = { USD: '60' };
  expect((await check(on)).body).toMatchObject({
    currency: 'USD',
    previous: '0.00',
    current: '60.00',
    increase: '60.00',
    ordersReleased: [a],
    leftOver: '5.00',
  });
  // The money would cover the last order (11.00), which may not overtake.
  on.double.balances = { USD: '80' };
  expect((await check(on)).body).toMatchObject({
    previous: '60.00',
    increase: '20.00',
    ordersReleased: [],
    leftOver: '25.00',
  });
  expect(await statusesOf(on, a, b, c)).toEqual(['completed', 'awaiting_settlement', 'awaiting_settlement']);
  on.double.balances = { USD: '176' };
  expect((await check(on)).body).toMatchObject({
    increase: '96.00',
    ordersReleased: [b, c],
    leftOver: '0.00',
  });
  expect(await statusesOf(on, a, b, c)).toEqual(['completed', 'completed', 'completed']);
  expect(await balance(on.client, on.usd)).toBe('176.00 0.00');
});

/** The amount of USD that a check would release, by the balance endpoint. */
async function releasable(): Promise<string | undefined> {
  const { body } = await on.admin.call('GET', '/v1/exchange/settlement/balance');
  return body.data.find(({ currency }: { currency: string }) => currency === 'USD')?.releasable;
}

it('the balance shows the releasable amount, and releases nothing', async () => {
  const [a, b] = [await dealt(on, '50.00', '50 55'), await dealt(on, '100.00', '100 110')];
  expect(await releasable()).toBe('0.00');
  on.double.balances = { USD: '60' };
  expect(await releasable()).toBe('55.00');
  expect(await statusesOf(on, a, b)).toEqual(['awaiting_settlement', 'awaiting_settlement']);
  expect((await check(on)).body).toMatchObject({ ordersReleased: [a], leftOver: '5.00' });
  expect(await releasable()).toBe('0.00');
  on.double.balances = { USD: '170' };
  expect(await releasable()).toBe('110.00');
  expect((await check(on)).body).toMatchObject({ ordersReleased: [b] });
});

it('the balance shows nothing releasable with an old reading, or just after our money was withdrawn', async () => {
  await dealt(on, '50.00', '50 55');
  on.double.balances = { USD: '60' };
  on.double.clock.stands = true;
  on.double.clock.at = new Date(Date.now() - 60_000);
  expect([await releasable(), (await check(on)).status]).toEqual(['0.00', 503]);
  on.double.clock.stands = false;
  expect(await releasable()).toBe('55.00');
  const move = { party: 'exchange', currency: 'USD', amount: new Decimal('1'), as: 'withdrawal' } as const;
  await on.api.database.transaction((tx) => moveSettlement(tx, move, on.api.services.now()));
  expect([await releasable(), (await check(on)).status]).toEqual(['0.00', 503]);
  later(on, 6);
  expect(await releasable()).toBe('55.00');
});

it('our own sale of a currency is no decrease of its settlement', async () => {
  const id = await dealt(on, '100.00', '100 110');
  on.double.balances = { USD: '110', EUR: '-100' };
  await check(on, 'EUR');
  await check(on);
  // 40 USD are sold back, and 20 USD of other money have come.
  const back = await ordered(on, { fromAccountId: on.usd, toAccountId: on.eur, amount: '40.00' });
  await looked(on, back);
  on.double.say(exchangeKey(back), 'filled', '40 36');
  await looked(on, back);
  later(on, 6);
  on.double.balances = { USD: '90', EUR: '-100' };
  expect((await check(on)).body).toMatchObject({
    previous: '110.00',
    current: '90.00',
    increase: '20.00',
    leftOver: '20.00',
  });
  on.double.balances = { USD: '90', EUR: '-64' };
  expect((await check(on, 'EUR')).body).toMatchObject({ increase: '36.00', ordersReleased: [back] });
  expect(await statusesOf(on, id, back)).toEqual(['completed', 'completed']);
});

it('a sale that the books do not know yet lowers the rest, until it is booked', async () => {
  await dealt(on, '100.00', '100 110');
  on.double.balances = { USD: '110' };
  await check(on);
  const waiting = await dealt(on, '50.00', '50 55');
  const back = await ordered(on, { fromAccountId: on.usd, toAccountId: on.eur, amount: '60.00' });
  await looked(on, back);
  // The exchange has sold them, and the product does not know.
  on.double.say(exchangeKey(back), 'filled', '60 54');
  on.double.balances = { USD: '50' };
  expect((await check(on)).body).toMatchObject({ increase: '0.00', leftOver: '-60.00', ordersReleased: [] });
  await looked(on, back);
  later(on, 6);
  expect((await check(on)).body).toMatchObject({ increase: '60.00', leftOver: '0.00', ordersReleased: [] });
  expect(await statusesOf(on, waiting)).toEqual(['awaiting_settlement']);
});

it('a reading that is not newer than the last check’s adds nothing', async () => {
  const id = await dealt(on, '50.00', '50 55');
  on.double.balances = { USD: '10' };
  await check(on);
  on.double.clock.stands = true;
  const at = on.double.clock.at;
  on.api.services.now = () => at;
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

it('fifty checks at once release each order once, and count the increase once', async () => {
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

it('checks, steps of orders, withdrawals and readings on the same accounts never deadlock', async () => {
  const { conflicts, counting } = countConflicts();
  await on.api.close();
  on = await world(counting);
  const { services } = on.api;
  await fund(on.api, on.usd, '1000.00');
  const destinationId = await destinationOf(on.api, on.client);
  const ids: string[] = [];
  for (let n = 0; n < 6; n += 1) ids.push(await dealt(on, '10.00', '10 11'));
  for (let n = 0; n < 6; n += 1) {
    const id = await ordered(on, { fromAccountId: on.usd, toAccountId: on.eur, amount: '10.00' });
    await looked(on, id);
    on.double.say(exchangeKey(id), 'filled', '10 9');
    ids.push(id);
  }
  on.double.balances = { EUR: '-6', USD: '6' };
  const withdrawn = () =>
    on.client.call(
      'POST',
      '/v1/exchange/withdrawals',
      { accountId: on.eur, destinationId, amount: '1.00' },
      newKey(),
    );
  const turn = () => [
    ...ids.map((id) => looked(on, id)),
    ...[check(on, 'USD'), check(on, 'EUR'), withdrawn(), readSettlement(services)],
  ];
  const answers = await Promise.all([...turn(), ...turn(), ...turn()]);
  const statuses = answers.flatMap((answer) => (answer && 'text' in answer ? [answer.status] : []));
  expect(new Set(statuses)).toEqual(new Set([200, 201]));
  for (const id of ids) await looked(on, id);
  later(on, 6);
  for (const currency of ['USD', 'EUR']) await check(on, currency);
  expect(conflicts()).toBe(0);
  expect(new Set(await statusesOf(on, ...ids))).toEqual(new Set(['completed']));
});

it('a check is idempotent by its key, only for admins, and in the audit log', async () => {
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

it('a check is a 503 while the exchange is away, and counts nothing', async () => {
  on.double.isAway = true;
  expect((await check(on)).status).toBe(503);
  expect((await on.admin.call('GET', '/v1/exchange/settlement/balance')).status).toBe(503);
  expect(await on.api.database.query('select * from settlement_checks')).toEqual([]);
});

it('the balance shows the booked beside the reported amounts', async () => {
  await dealt(on, '50.00', '50 55');
  on.double.balances = { EUR: '-50', GBP: '7' };
  const { body } = await on.admin.call('GET', '/v1/exchange/settlement/balance');
  expect(body).toMatchObject({ hasMore: false, nextCursor: null });
  expect(body.data).toMatchObject([
    { currency: 'EUR', booked: '-50.00', reported: '-50.00', difference: '0.00' },
    { currency: 'GBP', booked: '0.00', reported: '7.00', difference: '7.00' },
    { currency: 'USD', booked: '55.00', reported: '0.00', difference: '-55.00', releasable: '0.00' },
  ]);
});

it('the rest follows from books and reading alone, not from the counters of earlier checks', async () => {
  const first = await dealt(on, '50.00', '50 55');
  on.double.balances = { USD: '60' };
  await check(on);
  // Wrong counters, as after a check that knew of a sale too late.
  await on.api.database.query(`update settlement_checks set left_over = -60, sent_out = 1000`);
  const second = await dealt(on, '50.00', '50 55');
  on.double.balances = { USD: '110' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [second], leftOver: '0.00' });
  expect(await statusesOf(on, first, second)).toEqual(['completed', 'completed']);
});

it('a sale that is booked during the check, and missing in its reading, releases no order', async () => {
  await dealt(on, '100.00', '100 110');
  on.double.balances = { USD: '110' };
  await check(on);
  const waiting = await dealt(on, '50.00', '50 55');
  const back = await ordered(on, { fromAccountId: on.usd, toAccountId: on.eur, amount: '60.00' });
  await looked(on, back);
  on.double.beforeAnswer = async () => {
    on.double.say(exchangeKey(back), 'filled', '60 54');
    await looked(on, back);
  };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '0.00' });
  on.double.beforeAnswer = async () => undefined;
  later(on, 6);
  on.double.balances = { USD: '50' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '0.00' });
  expect(await statusesOf(on, waiting)).toEqual(['awaiting_settlement']);
});

it('a reading from more than five seconds before the question is rejected', async () => {
  const id = await dealt(on, '50.00', '50 55');
  on.double.balances = { USD: '55' };
  const at = new Date();
  on.api.services.now = () => at;
  on.double.clock.stands = true;
  on.double.clock.at = new Date(at.getTime() - 5_001);
  expect((await check(on)).status).toBe(503);
  expect(await on.api.database.query('select * from settlement_checks')).toEqual([]);
  on.double.clock.at = new Date(at.getTime() - 5_000);
  expect((await check(on)).body).toMatchObject({ ordersReleased: [id] });
});

it('an unreadable currency does not stop the others', async () => {
  const id = await dealt(on, '50.00', '50 55');
  on.double.balances = { EUR: '-50.001', GBP: '7', USD: '55', QQQ: '1' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [id] });
  expect((await check(on, 'EUR')).status).toBe(503);
  const { body } = await on.admin.call('GET', '/v1/exchange/settlement/balance');
  expect((body.data as { currency: string }[]).map(({ currency }) => currency)).toEqual(['GBP', 'USD']);
  expect(await unreadable()).toEqual(['EUR', 'QQQ']);
  on.double.balances = { EUR: '-50', USD: '55' };
  await on.admin.call('GET', '/v1/exchange/settlement/balance');
  expect(await unreadable()).toEqual([]);
});

const unreadable = async () => {
  const rows = await on.api.database.query<{ detail: string }>(
    `select detail from breaks where kind = 'party_word_unreadable' and resolved_at is null order by detail`,
  );
  return rows.map(({ detail }) => detail);
};
