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

/** An order that sells USD: the exchange has dealt it, and we have not heard. */
async function sale(amount: string): Promise<string> {
  const id = await ordered(on, { fromAccountId: on.usd, toAccountId: on.eur, amount });
  await looked(on, id);
  on.double.say(exchangeKey(id), 'filled', `${amount} 1`);
  return id;
}

/** A check that the exchange has answered, in its mind: the answer comes when it is let go. */
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

it('two checks and a sale between them release nothing that was not paid', async () => {
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

it('a sale that is booked before an answer of a second ago was asked for releases nothing', async () => {
  await dealt(on, '36.00', '36 40');
  await looked(on, await sale('40.00'));
  // By the exchange's clock it was before the sale.
  on.double.clock.now = () => Date.now() - 4_000;
  on.double.clock.at = new Date(0);
  on.double.balances = { USD: '0' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '0.00' });
  later(on, 12);
  on.double.balances = { USD: '-40' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '0.00' });
});

it('what was paid and is taken back is not paid again by an answer that still has it', async () => {
  const first = await dealt(on, '90.00', '90 100');
  on.double.balances = { USD: '100' };
  await check(on);
  const unpaid = await dealt(on, '36.00', '36 40');
  on.double.say(exchangeKey(first), 'failed');
  await looked(on, first);
  expect((await check(on)).body).toMatchObject({ ordersReleased: [], leftOver: '0.00' });
  expect(await statusesOf(on, first, unpaid)).toEqual(['failed', 'awaiting_settlement']);
});

it('an answer of a time that has not come is none, and stops no later check', async () => {
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
  'a reading %s ms from our time is shown, and is none, until the clock is right',
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
