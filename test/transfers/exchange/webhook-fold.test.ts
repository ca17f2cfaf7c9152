import { fold, sum } from '../../../client/src';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { exchangeKey } from '../../../src/transfers/exchange/orders/kind';
import { balance, check, dealt, looked, newKey, ordered, type World, world } from './support';
import { destinationOf, look, exchangeDouble as withdrawalsDouble, withdrawn } from './withdrawals/support';

let on: World;
let withdrawals: ReturnType<typeof withdrawalsDouble>;
beforeAll(async () => {
  on = await world();
  withdrawals = withdrawalsDouble(on.api);
  const { withdraw, askWithdrawal } = on.api.services.parties.exchange;
  on.api.services.parties.exchange = { ...on.double.port, withdraw, askWithdrawal };
  const fees = { feePercent: '0.5', fees: [{ currency: 'EUR', amount: '1.00' }] };
  const settings = { exchange: { feePercent: '1', order: { feePercent: '0.5' }, withdrawal: fees } };
  await on.api.database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
    on.client.clientId,
    JSON.stringify(settings),
  ]);
});
afterEach(async () => expect(await checkLedger(on.api.database)).toEqual([]));
afterAll(() => on.api.close());

/** The balance of an account by its webhooks, and the stored balance. */
async function toldAndStored(accountId: string): Promise<[string, string]> {
  const events = await on.api.database.query<{ event: string; data: string }>(
    'select event, whole_text(data) as data from events where tenant_id = $1 order by number',
    [on.client.clientId],
  );
  const folds = fold(events.map(({ event, data }) => ({ event, data: JSON.parse(data) as object })));
  const { available = '0.00', pending = '0.00' } = folds.get(accountId) ?? {};
  return [sum(available, pending), sum(...(await balance(on.client, accountId)).split(' '))];
}

async function agrees(eur: string, usd: string): Promise<void> {
  expect(await toldAndStored(on.eur)).toEqual([eur, eur]);
  expect(await toldAndStored(on.usd)).toEqual([usd, usd]);
}

it('webhooks of exchange, order and withdrawal add up to the balance at each step, also after reversals', async () => {
  const { body: quote } = await on.client.call('POST', `/v2/accounts/${on.eur}/exchange-quote`, {
    toAccountId: on.usd,
    amount: '100.01',
    side: 'sell',
  });
  const path = `/v2/accounts/${on.eur}/exchanges`;
  expect((await on.client.call('POST', path, { quoteId: quote.quoteId }, newKey())).status).toBe(201);
  await agrees('899.99', quote.buyAmount);
  const exchanged = Number(quote.buyAmount);
  const usd = (more: number) => (exchanged + more).toFixed(2);

  // A partial fill is held until its release. Then 49.75 and its share of the fee are booked.
  const order = await dealt(on, '100.00', '49.75 53.93');
  await agrees('899.99', usd(0));
  on.double.balances = { EUR: '-49.75', USD: '53.93' };
  expect((await check(on)).body).toMatchObject({ ordersReleased: [order] });
  await agrees('849.99', usd(53.93));

  const destinationId = await destinationOf(on.api, on.client);
  const { id, fee } = await withdrawn(on.client, { accountId: on.eur, destinationId, amount: '200.00' });
  expect(fee).toBe('2.00');
  await agrees('849.99', usd(53.93));
  expect(await look(on.api, id)).toBe('processing');
  withdrawals.say(id, 'sent');
  await look(on.api, id);
  withdrawals.say(id, 'completed');
  expect(await look(on.api, id)).toBe('completed');
  await agrees('647.99', usd(53.93));

  // A part of the withdrawal returns, the whole deal is undone, and another order is refused.
  withdrawals.say(id, 'returned', '150.00');
  await look(on.api, id);
  await agrees('797.99', usd(53.93));
  on.double.say(exchangeKey(order), 'failed');
  await looked(on, order);
  await agrees('847.99', usd(0));
  const refused = await ordered(on, { amount: '10.00' });
  on.double.next.push('refused');
  await looked(on, refused);
  await looked(on, refused);
  await agrees('847.99', usd(0));
});
