/** @long */
import { closeAtProcessor } from '../../../src/cards/orders/closure';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { openBreaksOf } from '../../../src/process/breaks/operations';
import { readProcessorBalances } from '../../../src/transfers/settlement/processor-balances';
import type { Json } from '../../parties/card-processor/stripe/http-server';
import type { Client } from '../../support/api';
import { cardBalance } from '../../support/cards';
import {
  apiWithStripe,
  ask,
  authorized,
  difference,
  fundStripe,
  readList,
  type StripeCard,
  stripeCard,
  tellEvent,
} from './stripe-support';
import { breaksOf } from './support';

/** A card of Stripe Issuing from its issuance to its end. Amounts of events are in cents. */

let api: Awaited<ReturnType<typeof apiWithStripe>>;
let client: Client;
let card: StripeCard;
beforeAll(async () => {
  api = await apiWithStripe();
  client = await api.client();
  await fundStripe(api);
});
beforeEach(async () => {
  card = await stripeCard(api, client);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const balance = () => cardBalance(client, card.id);
const history = async () =>
  (await client.call('GET', `/v1/cards/${card.id}/transactions`)).body.data
    .reverse()
    .map(({ type, billingAmount, forced }: Json) =>
      [type, billingAmount, forced && 'forced'].filter(Boolean).join(' '),
    );

it('takes a purchase through authorization, capture and refund, with Stripe’s balance equal', async () => {
  const { network } = card;
  expect(await difference(api)).toBe('0.00');
  const authorization = await authorized(api, card, 6_000);
  expect(await balance()).toBe('40.00 60.00 0.00');
  expect(await difference(api)).toBe('0.00');
  network.captured(authorization, 4_500);
  await readList(api);
  expect(await balance()).toBe('55.00 0.00 45.00');
  network.refunded(authorization, 1_000);
  await readList(api);
  expect(await balance()).toBe('65.00 0.00 35.00');
  expect(await difference(api)).toBe('0.00');
  expect(await history()).toEqual([
    'issue 100.00',
    'authorization 60.00',
    'settle 45.00',
    'cancel 15.00',
    'refund 10.00',
  ]);
});

it('answers as Stripe reads it', async () => {
  const authorization = card.network.opened();
  const question = card.network.question(authorization, 500);
  const answer = await tellEvent(api, question);
  card.network.decided(authorization, 500, { approved: true });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ approved: true, metadata: { reference: expect.stringMatching(/^ref_/) } });
  expect(answer.headers.get('stripe-version')).toMatch(/^\d{4}-\d\d-\d\d/);
  expect((await tellEvent(api, question)).text).toBe(answer.text);
  const declined = await tellEvent(api, card.network.question(card.network.opened(), 500_000));
  expect(declined.body).toMatchObject({ approved: false, metadata: { declineReason: 'insufficient_funds' } });
});

it('holds more for an incremental request, and releases what the merchant gives back', async () => {
  const { network } = card;
  const authorization = await authorized(api, card, 3_000);
  const approved = await ask(api, card, authorization, 2_000);
  network.decided(authorization, 2_000, { approved });
  await readList(api);
  expect(await balance()).toBe('50.00 50.00 0.00');
  network.reversed(authorization, 1_500);
  await readList(api);
  expect(await balance()).toBe('65.00 35.00 0.00');
  network.reversed(authorization, 3_500);
  await readList(api);
  expect(await balance()).toBe('100.00 0.00 0.00');
  expect(await difference(api)).toBe('0.00');
});

it('books a capture above its authorization, and one without an authorization', async () => {
  const { network } = card;
  const authorization = await authorized(api, card, 3_000);
  network.captured(authorization, 4_000);
  network.captured(null, 2_500);
  await readList(api);
  expect(await balance()).toBe('35.00 0.00 65.00');
  expect(await difference(api)).toBe('0.00');
});

it('books a second capture of one authorization', async () => {
  const { network } = card;
  const authorization = await authorized(api, card, 5_000);
  network.captured(authorization, 2_000);
  network.captured(authorization, 3_000);
  await readList(api);
  expect(await balance()).toBe('50.00 0.00 50.00');
  expect(await difference(api)).toBe('0.00');
});

it('releases an authorization that expires at Stripe, and books a late capture of it', async () => {
  const { network } = card;
  const authorization = await authorized(api, card, 3_000);
  network.expired(authorization);
  await readList(api);
  expect(await balance()).toBe('100.00 0.00 0.00');
  network.captured(authorization, 3_000);
  await readList(api);
  expect(await balance()).toBe('70.00 0.00 30.00');
  expect(await difference(api)).toBe('0.00');
});

describe('a decision that Stripe takes alone', () => {
  it('is held when Stripe approves without asking', async () => {
    const authorization = card.network.opened();
    card.network.decided(authorization, 2_000, { approved: true, reason: 'card_active' });
    await readList(api);
    expect(await balance()).toBe('80.00 20.00 0.00');
    expect(await difference(api)).toBe('0.00');
  });

  it('is held once when Stripe approves after a time-out, although our approval came late', async () => {
    await authorized(api, card, 2_000, { approved: true, reason: 'webhook_timeout' });
    await readList(api);
    expect(await balance()).toBe('80.00 20.00 0.00');
  });

  it('is held by force when Stripe approves what we have declined', async () => {
    const authorization = await authorized(api, card, 20_000, { approved: true, reason: 'webhook_timeout' });
    await readList(api);
    await readList(api);
    expect(await balance()).toBe('-100.00 200.00 0.00');
    card.network.reversed(authorization, 20_000);
    await readList(api);
    expect(await balance()).toBe('100.00 0.00 0.00');
  });

  it('is released when Stripe declines what we have approved, and no other hold of the transaction is', async () => {
    const authorization = await authorized(api, card, 3_000);
    await ask(api, card, authorization, 1_000);
    expect(await balance()).toBe('60.00 40.00 0.00');
    card.network.decided(authorization, 1_000, { approved: false, reason: 'webhook_timeout' });
    await readList(api);
    await readList(api);
    expect(await balance()).toBe('70.00 30.00 0.00');
  });

  it('is never judged when the question comes after a decline by time-out', async () => {
    const authorization = card.network.opened();
    const question = card.network.question(authorization, 1_000);
    card.network.decided(authorization, 1_000, { approved: false, reason: 'webhook_timeout' });
    await readList(api);
    expect((await tellEvent(api, question)).body).toMatchObject({ approved: false });
    expect(await balance()).toBe('100.00 0.00 0.00');
  });

  it('is shown when its amount is not the asked one, and a later reversal is booked nevertheless', async () => {
    const authorization = card.network.opened();
    expect(await ask(api, card, authorization, 2_000)).toBe(true);
    card.network.decided(authorization, 1_500, { approved: true });
    const reversal = card.network.reversed(authorization, 1_500);
    api.account.events.splice(-2);
    expect((await tellEvent(api, reversal)).status).toBe(422);
    expect(await balance()).toBe('95.00 5.00 0.00');
    expect(await breaksOf(api, 'processor_message_mismatch')).toMatchObject([{ amount: '15.00' }]);
    api.account.state.balance.usd -= 500;
  });

  it('moves nothing when Stripe declines without asking', async () => {
    card.network.decided(card.network.opened(), 1_000, { approved: false, reason: 'insufficient_funds' });
    await readList(api);
    expect(await balance()).toBe('100.00 0.00 0.00');
    expect(await history()).toEqual(['issue 100.00']);
  });
});

it('asks for no challenge of ours where Stripe has authenticated the payer', async () => {
  const path = `/v2/cards/${card.id}/limits`;
  const { version } = (await client.call('GET', path)).body;
  const set = await client.call('PUT', path, { challengeEcommerce: true, version });
  expect(set.status).toBe(200);
  const result = (given: string) => ({ verification_data: { three_d_secure: { result: given } } });
  const { network } = card;
  expect(await ask(api, card, network.opened(result('failed')), 100)).toBe(false);
  expect(await ask(api, card, network.opened(), 100)).toBe(false);
  for (const given of [result('authenticated'), { authorization_method: 'chip' }]) {
    const authorization = network.opened(given);
    expect(await ask(api, card, authorization, 100)).toBe(true);
    network.decided(authorization, 100, { approved: true });
  }
});

it('closes the card at Stripe, and books what comes later', async () => {
  const authorization = await authorized(api, card, 4_000);
  expect((await client.call('DELETE', `/v1/cards/${card.id}`)).status).toBe(200);
  expect(await closeAtProcessor(api.services, card.id)).toBe('confirmed');
  expect(api.account.cards.get(card.reference)).toMatchObject({ status: 'canceled' });
  card.network.captured(authorization, 2_500);
  await readList(api);
  expect(await balance()).toBe('0.00 0.00 25.00');
});

it('shows the number only where the account may read it', async () => {
  const shown = await client.call('GET', `/v1/cards/${card.id}/sensitive`);
  expect(shown.body).toMatchObject({ cardNumber: '4242424242424242', cvv: '123' });
  api.account.state.hidesNumbers = true;
  const refused = await client.call('GET', `/v1/cards/${card.id}/sensitive`);
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
  api.account.state.hidesNumbers = false;
});

it('opens a break for a difference that lasts, until it ends', async () => {
  const services = { ...api.services, settlementDifferenceSeconds: 0 };
  const shown = async () => {
    await readProcessorBalances(services);
    return (await openBreaksOf(api.database, 'card-processor:USD')).map(({ kind }) => kind);
  };
  await readList(api);
  const before = Number(await difference(api));
  api.account.state.balance.usd -= Math.round(before * 100);
  expect(await shown()).toEqual([]);
  api.account.state.balance.usd -= 250;
  expect(await shown()).toEqual(['processor_balance_differs']);
  expect(await shown()).toEqual(['processor_balance_differs']);
  api.account.state.balance.usd += 250;
  expect(await shown()).toEqual([]);
});
