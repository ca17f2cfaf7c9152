import { exchangeKey } from '../../../src/transfers/exchange/orders/kind';
import { readSettlement } from '../../../src/transfers/exchange/settlement/readings';
import { settlementReading } from '../../../src/transfers/metrics';
import { breaks, check, dealt, looked, ordered, type World, world } from './support';

let on: World;
let ahead = 0;
beforeEach(async () => {
  on = await world();
  ahead = 0;
  const began = Date.now();
  on.api.services.now = () => new Date(began + ahead);
  on.double.clock.stands = true;
});
afterEach(() => on.api.close());

/** Takes a reading some minutes later, by all clocks. */
async function readAfter(minutes: number): Promise<void> {
  ahead += minutes * 60_000;
  on.double.clock.at = on.api.services.now();
  await readSettlement(on.api.services);
}

it('a difference that outlasts its limit opens a break with amount and age, closed when it is gone', async () => {
  await dealt(on, '50.00', '50 55');
  on.double.balances = { EUR: '-50', USD: '0' };
  await readAfter(0);
  const since = on.double.clock.at.toISOString();
  await readAfter(5);
  expect(await breaks(on, 'settlement:USD')).toEqual([]);
  await readAfter(55);
  expect(await breaks(on, 'settlement:USD')).toEqual(['settlement_difference -55 USD']);
  const [shown] = await on.api.database.query<{ detail: string }>(`select detail from breaks`);
  expect(shown?.detail).toBe(`USD, since ${since}`);
  // Another amount is the same lasting difference.
  on.double.balances = { EUR: '-50', USD: '15' };
  await readAfter(5);
  expect(await breaks(on, 'settlement:USD')).toEqual(['settlement_difference -40 USD']);
  expect(await breaks(on, 'settlement:EUR')).toEqual([]);
  const samples = await settlementReading(on.api.services).read(on.api.database);
  const age = samples.pop();
  expect(age?.gauge).toBe('exchange_reading_age_seconds');
  expect(age?.value).toBeLessThan(60);
  expect(samples.map(({ labels, value }) => [Object.values(labels)[0], value])).toEqual([
    ['EUR', 0],
    ['USD', -40],
  ]);
  on.double.balances = { EUR: '-50', USD: '55' };
  await readAfter(5);
  expect(await breaks(on, 'settlement:USD')).toEqual([]);
  // A new difference starts a new time.
  on.double.balances = { EUR: '-50' };
  await readAfter(5);
  await readAfter(55);
  expect(await breaks(on, 'settlement:USD')).toEqual([]);
});

it('the break closes when the currency is neither booked nor reported', async () => {
  on.double.balances = { USD: '3' };
  await readAfter(0);
  await readAfter(60);
  expect(await breaks(on, 'settlement:USD')).toEqual(['settlement_difference 3 USD']);
  on.double.balances = {};
  await readAfter(5);
  expect(await breaks(on, 'settlement:USD')).toEqual([]);
});

it('a newer reading is stored, an older one is dropped, and checks are unaffected', async () => {
  on.double.balances = { USD: '3' };
  await readAfter(0);
  await readAfter(0);
  await readAfter(-5);
  expect(await on.api.database.query('select currency, reported::text from settlement_readings')).toEqual([
    { currency: 'USD', reported: '3' },
  ]);
  ahead += 10 * 60_000;
  on.double.clock.at = on.api.services.now();
  expect((await check(on)).body).toMatchObject({ previous: '0.00', increase: '3.00' });
});

it('an amount with too many decimals opens a break, and other currencies are read', async () => {
  on.double.balances = { USD: '3.001', GBP: '7' };
  await readAfter(0);
  expect(await breaks(on, 'settlement')).toEqual(['party_word_unreadable']);
  expect(await on.api.database.query('select currency from settlement_readings')).toEqual([
    { currency: 'GBP' },
  ]);
  expect((await check(on)).status).toBe(503);
  on.double.balances = { USD: '3' };
  await readAfter(5);
  expect(await breaks(on, 'settlement')).toEqual([]);
});

it('an order that waits too long for its settlement has a break until its release', async () => {
  const id = await dealt(on, '50.00', '50 55');
  await readAfter(3 * 24 * 60 - 1);
  expect(await breaks(on, id)).toEqual([]);
  // The break opens even while the exchange is away.
  on.double.isAway = true;
  await expect(readAfter(2)).rejects.toThrow();
  expect(await breaks(on, id)).toEqual(['settlement_overdue 55 USD']);
  on.double.isAway = false;
  await readAfter(5);
  expect(await breaks(on, id)).toEqual(['settlement_overdue 55 USD']);
  on.double.balances = { EUR: '-50', USD: '55' };
  on.double.clock.at = new Date(on.double.clock.at.getTime() + 1);
  expect((await check(on)).body).toMatchObject({ ordersReleased: [id] });
  await readAfter(5);
  expect(await breaks(on, id)).toEqual([]);
});

it('an unpaid order that was not dealt as ordered has a break too, because others wait behind it', async () => {
  const odd = await ordered(on, { amount: '100.00', minReceive: '109.00' });
  await looked(on, odd);
  on.double.say(exchangeKey(odd), 'filled', '100 108');
  await looked(on, odd);
  await readAfter(3 * 24 * 60 + 1);
  expect(await breaks(on, odd)).toContain('settlement_overdue 108 USD');
});

it('the wait of a deal that grew starts at the growth', async () => {
  const id = await dealt(on, '50.00', '50 55');
  on.double.balances = { EUR: '-50', USD: '55' };
  await readAfter(0);
  await check(on);
  ahead += 4 * 24 * 60 * 60_000;
  on.double.say(exchangeKey(id), 'filled', '50 60');
  await looked(on, id);
  await readAfter(3 * 24 * 60 - 1);
  expect(await breaks(on, id)).not.toContain('settlement_overdue 60 USD');
  await readAfter(2);
  expect(await breaks(on, id)).toContain('settlement_overdue 60 USD');
});

it('the break of a released order closes, even if the exchange is left out', async () => {
  const id = await dealt(on, '50.00', '50 55');
  await readAfter(3 * 24 * 60 + 1);
  on.double.balances = { EUR: '-50', USD: '55' };
  on.double.clock.at = new Date(on.double.clock.at.getTime() + 1);
  await check(on);
  const { services } = on.api;
  const switches = { ...services.switches, party: async () => 'left_out' as const };
  await readSettlement({ ...services, switches });
  expect(await breaks(on, id)).toEqual([]);
});

it('readings are kept for ninety days, and the last one of a currency longer', async () => {
  const kept = () => on.api.database.query('select as_of from settlement_readings order by as_of');
  on.double.balances = { USD: '3' };
  await readAfter(0);
  await readAfter(5);
  await readAfter(90 * 24 * 60 - 5);
  expect(await kept()).toHaveLength(3);
  await readAfter(1);
  expect(await kept()).toHaveLength(3);
  // While the exchange is away the last reading stays. The break closes with the next reading.
  expect(await breaks(on, 'settlement:USD')).toEqual(['settlement_difference 3 USD']);
  on.double.isAway = true;
  await expect(readAfter(91 * 24 * 60)).rejects.toThrow();
  expect(await kept()).toHaveLength(1);
  on.double.isAway = false;
  on.double.balances = {};
  await readAfter(5);
  expect(await breaks(on, 'settlement:USD')).toEqual([]);
});
