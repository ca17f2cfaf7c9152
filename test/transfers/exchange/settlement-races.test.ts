import { exchangeKey } from '../../../src/transfers/exchange/orders/kind';
import { readSettlement } from '../../../src/transfers/exchange/settlement/readings';
import { fund } from '../../support/cards';
import { breaks, check, dealt, later, looked, ordered, statusesOf, type World, world } from './support';

let on: World;
beforeEach(async () => {
  on = await world();
  await fund(on.api, on.usd, '1000.00');
});
afterEach(() => on.api.close());

/** Creates an order that sells USD. The exchange has dealt it, and the product does not know. */
async function sale(amount: string): Promise<string> {
  const id = await ordered(on, { fromAccountId: on.usd, toAccountId: on.eur, amount });
  await looked(on, id);
  on.double.say(exchangeKey(id), 'filled', `${amount} 1`);
  return id;
}

/** Starts a check whose reading is taken. The answer arrives when the test calls `answer`. */
async function asked(): Promise<{ answer(): ReturnType<typeof check> }> {
  let [letGo, isAsked] = [() => {}, () => {}];
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const reached = new Promise<void>((resolve) => (isAsked = resolve));
  on.double.beforeAnswer = () => {
    isAsked();
    return gate;
  };
  const running = check(on);
  await reached;
  on.double.beforeAnswer = async () => undefined;
  return {
    answer: () => {
      letGo();
      return running;
    },
  };
}

it('two checks with a sale in between release no unpaid order', async () => {
  const paid = await dealt(on, '90.00', '90 100');
  const unpaid = await dealt(on, '36.00', '36 40');
  const selling = await sale('40.00');
  on.double.balances = { USD: '100' };
  const [one, other] = [await asked(), await asked()];
  await looked(on, selling);
  expect((await one.answer()).body).toMatchObject({ ordersReleased: [paid], leftOver: '0.00' });
  expect((await other.answer()).body).toMatchObject({ ordersReleased: [], leftOver: '0.00' });
  expect(await statusesOf(on, paid, unpaid)).toEqual(['completed', 'awaiting_settlement']);
});

it('a sale releases nothing when the reading is older than the sale', async () => {
  await dealt(on, '36.00', '36 40');
  await looked(on, await sale('40.00'));
  // By the exchange's clock the reading is before the sale.
  on.double.clock.now = () => Date.now() - 4_000;
  on.double.clock.at = new Date(0);
  on.double.balances = { USD: '0' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '0.00' });
  later(on, 12);
  on.double.balances = { USD: '-40' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '0.00' });
});

it('an undone deal releases no other order while the reading still has its payment', async () => {
  const first = await dealt(on, '90.00', '90 100');
  on.double.balances = { USD: '100' };
  await check(on);
  const unpaid = await dealt(on, '36.00', '36 40');
  on.double.say(exchangeKey(first), 'failed');
  await looked(on, first);
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '0.00' });
  expect(await statusesOf(on, first, unpaid)).toEqual(['failed', 'awaiting_settlement']);
});

it('a reading from the future is rejected, and does not block later checks', async () => {
  const id = await dealt(on, '36.00', '36 40');
  on.double.balances = { USD: '40' };
  const now = new Date();
  on.api.services.now = () => now;
  on.double.clock.stands = true;
  on.double.clock.at = new Date(now.getTime() + 5_001);
  expect((await check(on)).status).toBe(503);
  expect(await on.api.database.query('select * from settlement_checks')).toEqual([]);
  on.double.clock.at = new Date(now.getTime() + 5_000);
  expect((await check(on)).body).toMatchObject({ ordersReleased: [id] });
});

it.each([-5_001, 5_001])(
  'a reading %s ms off our time opens a break and is dropped, until the clock is right',
  async (off) => {
    on.double.balances = { USD: '7' };
    const now = new Date();
    on.api.services.now = () => now;
    on.double.clock.stands = true;
    on.double.clock.at = new Date(now.getTime() + off);
    const readings = () => on.api.database.query('select currency from settlement_readings');
    await readSettlement(on.api.services);
    expect([await breaks(on, 'settlement'), await readings()]).toEqual([['party_clock_differs'], []]);
    on.double.clock.at = now;
    await readSettlement(on.api.services);
    expect([await breaks(on, 'settlement'), await readings()]).toEqual([[], [{ currency: 'USD' }]]);
  },
);
