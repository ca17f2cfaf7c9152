import { exchangeKey } from '../../../src/transfers/exchange/orders/kind';
import {
  balance,
  breaks,
  check,
  dealt,
  internal,
  later,
  looked,
  ordered,
  statusesOf,
  type World,
  world,
} from './support';

let on: World;
beforeEach(async () => {
  on = await world();
});
afterEach(() => on.api.close());

it.each([
  ['taken back', 'failed', [], '0', '0.00'],
  ['lowered', 'filled', ['100 100'], '100', '0.00'],
] as const)(
  'a deal that is %s after its release does not take money from waiting orders',
  async (_, status, fills, there, leftOver) => {
    const first = await dealt(on, '100.00', '100 110');
    on.double.balances = { USD: '110' };
    await check(on);
    on.double.say(exchangeKey(first), status, ...fills);
    await looked(on, first);
    later(on, 6);
    on.double.balances = { USD: there };
    expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver });
    const second = await dealt(on, '50.00', '50 55');
    on.double.balances = { USD: String(Number(there) + 55) };
    expect((await check(on)).body).toMatchObject({ increase: '55.00', ordersReleased: [second], leftOver });
  },
);

it('a deal that grows after its release is reversed, and released again once it is fully paid', async () => {
  const id = await dealt(on, '100.00', '100 110');
  on.double.balances = { USD: '110' };
  await check(on);
  expect(await balance(on.client, on.usd)).toBe('110.00 0.00');
  on.double.say(exchangeKey(id), 'filled', '100 120');
  expect(await looked(on, id)).toMatchObject({ status: 'awaiting_settlement', open: true });
  expect([await balance(on.client, on.eur), await balance(on.client, on.usd)]).toEqual([
    ...['900.00 100.00', '0.00 0.00'],
  ]);
  expect(await breaks(on, id)).toEqual(['exchange_changed_after_release 10 USD', 'transfer_contradicted']);
  later(on, 6);
  const younger = await dealt(on, '10.00', '10 11');
  // The money would cover the younger order, which may not overtake.
  expect((await check(on)).body).toMatchObject({ increase: '0.00', ordersReleased: [], leftOver: '110.00' });
  on.double.balances = { USD: '120' };
  expect((await check(on)).body).toMatchObject({ increase: '10.00', ordersReleased: [id], leftOver: '0.00' });
  expect(await balance(on.client, on.usd)).toBe('120.00 0.00');
  expect(await statusesOf(on, id, younger)).toEqual(['completed', 'awaiting_settlement']);
  expect(await releasesOf(id)).toEqual(['110', '120']);
});

const releasesOf = async (id: string) => {
  const rows = await on.api.database.query<{ amount: string }>(
    `select amount::text as amount from transfer_decisions where transfer_id = $1 and kind = 'release' order by number`,
    [id],
  );
  return rows.map(({ amount }) => amount);
};

it('an order that was not dealt as ordered waits in the queue, so that its payment releases no other', async () => {
  const odd = await ordered(on, { amount: '100.00', minReceive: '109.00' });
  await looked(on, odd);
  on.double.say(exchangeKey(odd), 'filled', '100 108');
  expect(await looked(on, odd)).toMatchObject({ status: 'failed' });
  const younger = await dealt(on, '50.00', '50 55');
  on.double.balances = { USD: '108' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [odd], leftOver: '0.00' });
  expect(await statusesOf(on, odd, younger)).toEqual(['failed', 'awaiting_settlement']);
  expect(await internal(on, 'suspense:USD')).toBe(108);
  expect(await balance(on.client, on.usd)).toBe('0.00 0.00');
  on.double.balances = { USD: '163' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [younger], leftOver: '0.00' });
  expect(await releasesOf(odd)).toEqual(['108']);
});

it('an excess deal is released only when the whole bought amount has come', async () => {
  const id = await dealt(on, '100.00', '110 121');
  on.double.balances = { USD: '110' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '110.00' });
  on.double.balances = { USD: '121' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [id], leftOver: '0.00' });
  expect([await balance(on.client, on.usd), await internal(on, 'suspense:USD')]).toEqual(['110.00 0.00', 11]);
});
