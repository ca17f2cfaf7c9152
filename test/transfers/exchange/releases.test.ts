import { exchangeKey } from '../../../src/transfers/exchange/orders/kind';
import { balance, check, dealt, internal, later, looked, ordered, read, type World, world } from './support';

let on: World;
beforeEach(async () => {
  on = await world();
});
afterEach(() => on.api.close());

const statusOf = async (id: string) => (await read(on, id)).status;

async function says(id: string, status: 'open' | 'filled' | 'failed', ...fills: string[]): Promise<void> {
  on.double.say(exchangeKey(id), status, ...fills);
  await looked(on, id);
}

async function released(id: string, reported: string): Promise<void> {
  on.double.balances = { USD: reported };
  expect((await check(on)).body.ordersReleased).toEqual([id]);
}

it('a deal that was undone and dealt again waits for a new payment', async () => {
  const id = await dealt(on, '100.00', '100 110');
  await released(id, '110');
  await says(id, 'failed');
  on.double.balances = { USD: '0' };
  await says(id, 'filled', '100 110');
  expect(await statusOf(id)).toBe('awaiting_settlement');
  expect([await balance(on.client, on.eur), await balance(on.client, on.usd)]).toEqual([
    ...['900.00 100.00', '0.00 0.00'],
  ]);
  later(on, 6);
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '0.00' });
  later(on, 6);
  await released(id, '110');
  expect(await statusOf(id)).toBe('completed');
});

it('a deal that shrank and grows again waits for its payment, even below the first release', async () => {
  const id = await dealt(on, '100.00', '100 100');
  await released(id, '100');
  await says(id, 'filled', '100 80');
  expect([await statusOf(id), await balance(on.client, on.usd)]).toEqual(['completed', '80.00 0.00']);
  await says(id, 'filled', '100 95');
  expect([await statusOf(id), await balance(on.client, on.usd)]).toEqual([
    ...['awaiting_settlement', '0.00 0.00'],
  ]);
  later(on, 6);
  on.double.balances = { USD: '80' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '80.00' });
  await released(id, '95');
  expect(await balance(on.client, on.usd)).toBe('95.00 0.00');
});

it('a closed account keeps the amount of its earlier release', async () => {
  const id = await dealt(on, '100.00', '100 110');
  await released(id, '110');
  await on.api.database.query(`update accounts set status = 'closed' where id = $1`, [on.usd]);
  await says(id, 'filled', '100 120');
  later(on, 6);
  await released(id, '120');
  expect([await balance(on.client, on.usd), await internal(on, 'suspense:USD')]).toEqual(['110.00 0.00', 10]);
});

it('a grown deal queues behind the orders that already waited', async () => {
  const id = await dealt(on, '100.00', '100 110');
  await released(id, '110');
  const younger = await dealt(on, '10.00', '10 11');
  later(on, 6);
  await says(id, 'filled', '100 120');
  const last = await ordered(on, { amount: '5.00' });
  await looked(on, last);
  later(on, 6);
  await says(last, 'filled', '5 5');
  on.double.balances = { USD: '131' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [younger, id], leftOver: '0.00' });
});
