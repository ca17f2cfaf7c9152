/** @long */
import { checkLedger } from '../../../src/kernel/ledger/check';
import type { Json } from '../../parties/card-processor/stripe/http-server';
import { networkOf } from '../../parties/card-processor/stripe/network';
import type { Client } from '../../support/api';
import { cardBalance } from '../../support/cards';
import {
  apiWithStripe,
  authorized,
  difference,
  fundStripe,
  readList,
  type StripeCard,
  stripeCard,
  tellEvent,
} from './stripe-support';
import { breaksOf } from './support';

/** Events of Stripe Issuing in any order, twice, forged, unreadable, or about a card that is not ours. */

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

describe('each event is booked once, however often webhooks and the list tell it', () => {
  const ORDERS: [string, (events: Json[]) => Json[]][] = [
    ['in order', (events) => events],
    ['backwards', (events) => [...events].reverse()],
    [
      'every second one first',
      (events) => [1, 0].flatMap((rest) => events.filter((_, at) => at % 2 === rest)),
    ],
  ];

  it.each(ORDERS)('%s', async (_order, ordered) => {
    const { network } = card;
    const first = api.account.events.length;
    const one = await authorized(api, card, 2_000);
    network.reversed(one, 500);
    network.captured(one, 1_500);
    network.refunded(one, 300);
    const other = network.opened();
    network.decided(other, 1_000, { approved: true, reason: 'card_active' });
    network.reversed(other, 400);
    const third = network.opened();
    network.decided(third, 700, { approved: true, reason: 'card_active' });
    network.captured(third, 500);
    const events = api.account.events.slice(first);
    for (const event of [...ordered(events), ...events])
      expect((await tellEvent(api, event)).status).toBe(200);
    expect(await balance()).toBe('77.00 6.00 17.00');
    await readList(api);
    expect(await balance()).toBe('77.00 6.00 17.00');
    expect(await difference(api)).toBe('0.00');
  });
});

describe('a webhook', () => {
  const unmoved = async () => expect(await balance()).toBe('100.00 0.00 0.00');
  const sent = async (raw: Buffer, headers: Record<string, string>) =>
    (await api.call('POST', '/processor/v1/messages', raw, headers)).status;

  it('is refused when it is forged, too old or truncated', async () => {
    const [capture] = card.network.captured(null, 500);
    api.account.events.pop();
    const forged = api.account.signed(capture as Json, 'whsec_forged');
    expect(await sent(forged.raw, forged.headers)).toBe(401);
    const old = api.account.signed(capture as Json, undefined, new Date(Date.now() - 301_000));
    expect(await sent(old.raw, old.headers)).toBe(401);
    const { raw, headers } = api.account.signed(capture as Json);
    expect(await sent(raw.subarray(0, raw.length - 20), headers)).toBe(401);
    expect(await sent(raw, {})).toBe(401);
    const cut = api.account.signed(JSON.stringify(capture).slice(0, -20));
    expect(await sent(cut.raw, cut.headers)).toBe(400);
    await unmoved();
    api.account.state.balance.usd += 500;
  });

  it('is shown to a person when its object cannot be read', async () => {
    const question = card.network.question(card.network.opened(), 500);
    question['data'].object.currency = 'zzz';
    expect((await tellEvent(api, question)).status).toBe(400);
    await unmoved();
  });

  it('changes nothing when it is about something else', async () => {
    const payout = api.account.event('payout.paid', { id: 'po_1', object: 'payout' });
    const answer = await tellEvent(api, payout);
    expect([answer.status, answer.text]).toEqual([200, '{}']);
  });
});

it('shows a capture on a card that is not ours', async () => {
  networkOf(api.account, 'ic_stranger').captured(null, 700);
  await readList(api);
  expect(await breaksOf(api, 'processor_card_unknown')).toMatchObject([
    { subject: 'ic_stranger', amount: '7.00', currency: 'USD' },
  ]);
  api.account.state.balance.usd += 700;
});

it('passes an event of the list that cannot be read, and books the later ones', async () => {
  const [unreadable] = card.network.captured(null, 100);
  Object.assign(unreadable?.['data'].object, { type: 'chargeback' });
  card.network.refunded(null, 500);
  await readList(api);
  expect(await balance()).toBe('105.00 0.00 -5.00');
  expect(await breaksOf(api, 'party_row_not_applied')).toMatchObject([
    { subject: 'cardProcessor', detail: expect.stringContaining(unreadable?.['id']) },
  ]);
  api.account.events.splice(api.account.events.indexOf(unreadable as Json), 1);
  api.account.state.balance.usd += 100;
});
