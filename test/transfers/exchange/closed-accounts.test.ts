import { checkLedger } from '../../../src/kernel/ledger/check';
import { exchangeKey } from '../../../src/transfers/exchange/orders/kind';
import {
  balance,
  breaks,
  check,
  dealt,
  internal,
  lines,
  looked,
  ordered,
  read,
  type World,
  world,
} from './support';

let on: World;
beforeEach(async () => {
  on = await world();
});
afterEach(async () => {
  expect(await checkLedger(on.api.database)).toEqual([]);
  await on.api.close();
});

const close = (accountId: string) =>
  on.api.database.query(`update accounts set status = 'closed' where id = $1`, [accountId]);

it('the bought amount goes to suspense when the account was closed before the release', async () => {
  const id = await dealt(on, '100.00', '100 108.41');
  await close(on.usd);
  on.double.balances = { EUR: '-100', USD: '108.41' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [id], leftOver: '0.00' });
  expect(await read(on, id)).toMatchObject({ status: 'completed', sold: '100.00' });
  expect([await balance(on.client, on.eur), await balance(on.client, on.usd)]).toEqual([
    ...['900.00 0.00', '0.00 0.00'],
  ]);
  expect(await lines(on, on.usd)).toEqual([]);
  expect(await breaks(on, id)).toEqual(['transfer_suspense 108.41 USD']);
  expect([await internal(on, 'suspense:USD'), await internal(on, 'settlement:USD')]).toEqual([
    108.41, -108.41,
  ]);
  expect(await internal(on, 'fx_position:USD')).toBe(0);
  // Another step and another check move nothing.
  expect(await looked(on, id)).toMatchObject({ status: 'completed' });
  expect((await check(on)).body).toMatchObject({ ordersReleased: [] });
  expect(await breaks(on, id)).toEqual(['transfer_suspense 108.41 USD']);
});

it('a later, larger amount goes to suspense too', async () => {
  const id = await dealt(on, '100.00', '100 108.41');
  await close(on.usd);
  on.double.balances = { USD: '108.41' };
  await check(on);
  on.double.say(exchangeKey(id), 'filled', '100 110');
  await looked(on, id);
  on.double.balances = { USD: '110' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [id], leftOver: '0.00' });
  expect(await balance(on.client, on.usd)).toBe('0.00 0.00');
  expect(await internal(on, 'suspense:USD')).toBe(110);
  expect(await breaks(on, id)).toContain('transfer_suspense 110 USD');
});

it('an account that was closed after the release keeps its amount, and the increase goes to suspense', async () => {
  const id = await dealt(on, '100.00', '100 108');
  on.double.balances = { USD: '108' };
  await check(on);
  await close(on.usd);
  on.double.say(exchangeKey(id), 'filled', '100 110');
  await looked(on, id);
  on.double.balances = { USD: '110' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [id] });
  expect(await balance(on.client, on.usd)).toBe('108.00 0.00');
  expect(await internal(on, 'suspense:USD')).toBe(2);
  expect(await internal(on, 'fx_position:USD')).toBe(0);
});

it('the sold amount goes to suspense when the deal is undone after the account was closed', async () => {
  const id = await dealt(on, '100.00', '100 108.41');
  on.double.balances = { USD: '108.41' };
  await check(on);
  await close(on.eur);
  on.double.say(exchangeKey(id), 'failed');
  expect(await looked(on, id)).toMatchObject({ status: 'failed' });
  expect([await balance(on.client, on.eur), await balance(on.client, on.usd)]).toEqual([
    ...['900.00 0.00', '0.00 0.00'],
  ]);
  expect(await internal(on, 'suspense:EUR')).toBe(100);
  expect(await breaks(on, id)).toContain('transfer_suspense 100 EUR');
});

it.each(['eur', 'usd'] as const)(
  'an order is cancelled when its %s account closes before it',
  async (side) => {
    const id = await ordered(on);
    await close(on[side]);
    expect(await looked(on, id)).toMatchObject({ status: 'cancelled', open: false });
    expect(await read(on, id)).toMatchObject({ status: 'cancelled', failure: 'account_closed' });
    expect(on.double.orders.has(exchangeKey(id))).toBe(false);
    expect(await balance(on.client, on.eur)).toBe('1000.00 0.00');
  },
);
