import { checkLedger } from '../../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../../support/api';
import { cardBalance } from '../../support/cards';
import { lineOf, type NetworkCard, networkCard } from './support';

/** Messages of one transaction in any order lead to the same balances. */

let api: TestApi;
let client: Client;
let card: NetworkCard;
let say: ReturnType<typeof lineOf>;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
beforeEach(async () => {
  card = await networkCard(api, client, '100.00');
  say = lineOf(api, card);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const balance = () => cardBalance(client, card.id);

it('a clearing before its authorization is a force post, and the authorization then holds nothing', async () => {
  await say({ type: 'clearing', amount: '30.00', sent: 1 });
  expect(await balance()).toBe('70.00 0.00 30.00');
  expect(await say({ type: 'authorization', amount: '30.00', sent: 0 })).toMatchObject({ approved: true });
  expect(await balance()).toBe('70.00 0.00 30.00');
});

it('a final clearing of less before its authorization leaves nothing to hold', async () => {
  await say({ type: 'clearing', amount: '20.00', sent: 1, final: true });
  expect(await say({ type: 'authorization', amount: '30.00', sent: 0 })).toMatchObject({ approved: true });
  expect(await balance()).toBe('80.00 0.00 20.00');
});

it('a clearing of a part before its authorization leaves the rest to be held and cleared', async () => {
  await say({ type: 'clearing', amount: '20.00', sent: 1 });
  await say({ type: 'authorization', amount: '50.00', sent: 0 });
  expect(await balance()).toBe('50.00 30.00 20.00');
  await say({ type: 'clearing', amount: '30.00', sent: 2, final: true });
  expect(await balance()).toBe('50.00 0.00 50.00');
});

it('an authorization that was sent after the clearing is a new one and holds', async () => {
  await say({ type: 'clearing', amount: '30.00', sent: 1, final: true });
  await say({ type: 'authorization', amount: '30.00', sent: 2 });
  expect(await balance()).toBe('40.00 30.00 30.00');
});

it('an amount that was cleared early is deducted once', async () => {
  await say({ type: 'clearing', amount: '30.00', sent: 5 });
  await say({ type: 'authorization', amount: '30.00', sent: 0 });
  await say({ type: 'authorization', amount: '10.00', sent: 1 });
  expect(await balance()).toBe('60.00 10.00 30.00');
});

it('an increment that arrives after a clearing of the whole holds nothing', async () => {
  await say({ type: 'authorization', amount: '50.00', sent: 0 });
  await say({ type: 'clearing', amount: '70.00', sent: 2 });
  expect(await say({ type: 'authorization', amount: '20.00', sent: 1 })).toMatchObject({ approved: true });
  expect(await balance()).toBe('30.00 0.00 70.00');
});

it('an authorization that arrives after its clearing is approved whatever the balance', async () => {
  await say({ type: 'clearing', amount: '150.00', sent: 1 });
  expect(await say({ type: 'authorization', amount: '150.00', sent: 0 })).toMatchObject({ approved: true });
  expect(await balance()).toBe('-50.00 0.00 150.00');
});

it('an advice that arrives after its clearing holds nothing', async () => {
  await say({ type: 'clearing', amount: '30.00', sent: 1 });
  await say({ type: 'advice', amount: '30.00', sent: 0 });
  expect(await balance()).toBe('70.00 0.00 30.00');
});

it('a reversal before its authorization releases it at once', async () => {
  await say({ type: 'reversal', amount: '40.00', sent: 1 });
  expect(await say({ type: 'authorization', amount: '40.00', sent: 0 })).toMatchObject({ approved: true });
  expect(await balance()).toBe('100.00 0.00 0.00');
  const events = await client.call('GET', `/v1/cards/${card.id}/transactions`);
  expect(events.body.data.map(({ type }: { type: string }) => type)).toEqual([
    'cancel',
    'authorization',
    'issue',
  ]);
});

it('a reversal of a part before its authorization leaves the rest held', async () => {
  await say({ type: 'reversal', amount: '15.00', sent: 1 });
  await say({ type: 'authorization', amount: '40.00', sent: 0 });
  expect(await balance()).toBe('75.00 25.00 0.00');
});

it('a reversal of more than the hold takes the rest from a late increment', async () => {
  await say({ type: 'authorization', amount: '40.00', sent: 0 });
  await say({ type: 'reversal', amount: '55.00', sent: 2 });
  await say({ type: 'authorization', amount: '15.00', sent: 1 });
  expect(await balance()).toBe('100.00 0.00 0.00');
});

it('an authorization that was sent after the reversal is a new one and holds', async () => {
  await say({ type: 'reversal', amount: '40.00', sent: 1 });
  await say({ type: 'authorization', amount: '40.00', sent: 2 });
  expect(await balance()).toBe('60.00 40.00 0.00');
});

it('a clearing after a reversal is booked by force', async () => {
  await say({ type: 'authorization', amount: '40.00' });
  await say({ type: 'reversal', amount: '40.00', sent: 1 });
  await say({ type: 'clearing', amount: '40.00', sent: 2 });
  expect(await balance()).toBe('60.00 0.00 40.00');
});

it('a refund before its clearing stands alone, and the clearing is booked', async () => {
  await say({ type: 'refund', amount: '10.00', sent: 2 });
  await say({ type: 'authorization', amount: '10.00', sent: 0 });
  await say({ type: 'clearing', amount: '10.00', sent: 1 });
  expect(await balance()).toBe('100.00 0.00 0.00');
});

it('clearings in parts in any order lead to the same balances', async () => {
  await say({ type: 'authorization', amount: '50.00', sent: 0 });
  await say({ type: 'clearing', amount: '20.00', sent: 2, final: true });
  await say({ type: 'clearing', amount: '25.00', sent: 1 });
  expect(await balance()).toBe('55.00 0.00 45.00');
});

it('concurrent messages of one transaction hold nothing twice', async () => {
  await Promise.all([
    say({ type: 'clearing', amount: '30.00', sent: 1, final: true }),
    say({ type: 'authorization', amount: '30.00', sent: 0 }),
    say({ type: 'refund', amount: '5.00', sent: 2 }),
  ]);
  expect(await balance()).toBe('75.00 0.00 25.00');
});
