import type Stripe from 'stripe';
import type { ProcessorMessage } from '../../../../src/parties/card-processor/message';
import { type NetworkReport, NOTHING_REPORTED } from '../../../../src/parties/card-processor/report';
import { networkReportOf } from '../../../../src/parties/card-processor/stripe/report';
import { UnreadableCallback } from '../../../../src/process/party-errors';
import { type StripeAccount, stripeAccount } from './account';
import type { Json } from './http-server';
import { networkOf } from './network';

/** Events of Stripe's card network as messages of ours. */

let account: StripeAccount;
let network: ReturnType<typeof networkOf>;
beforeAll(async () => {
  account = await stripeAccount({ now: () => new Date('2026-03-01T12:00:00Z') });
  network = networkOf(account, 'ic_1');
});
afterAll(() => account.close());

const of = (event: Json) => networkReportOf(event as Stripe.Event);
const question = (event: Json) => of(event) as ProcessorMessage;
const report = (event: Json) => of(event) as NetworkReport;
const shown = ({ type, messageId, amount, currency, networkReference, final }: ProcessorMessage) =>
  [type, messageId, amount.toFixed(), currency, networkReference, final && 'final'].filter(Boolean).join(' ');

it('asks about an authorization, and about more of it, under names of their own', () => {
  const auth = network.opened();
  const { id } = auth;
  expect(shown(question(network.question(auth, 6_000)))).toBe(`authorization ${id}:0 60 USD ${id}`);
  network.decided(auth, 6_000, { approved: true });
  const more = question(network.question(auth, 1_050));
  expect(shown(more)).toBe(`authorization ${id}:1 10.5 USD ${id}`);
  expect(more).toMatchObject({
    cardReference: 'ic_1',
    channel: 'ecommerce',
    merchant: { id: '1234567890', name: 'Rocket Rides', mcc: '4121', city: 'Vienna', country: 'AT' },
    sentAt: new Date('2026-03-01T12:00:00Z'),
  });
  expect(more).not.toHaveProperty('authenticated');
});

it('gives a question and its decision one identity', () => {
  const auth = network.opened();
  const asked = question(network.question(auth, 500));
  const [decision] = report(network.decided(auth, 500, { approved: true })).decisions;
  expect(decision?.authorization.messageId).toBe(asked.messageId);
  expect(decision?.authorization.received).toEqual(asked.received);
});

it.each([
  [{ approved: true }, true, true],
  [{ approved: false, reason: 'webhook_timeout' }, false, true],
  [{ approved: true, reason: 'card_active' }, true, false],
  [{ approved: false, reason: 'insufficient_funds' }, false, false],
])('tells the decision %j', (decides, approved, asked) => {
  const auth = network.opened();
  const { decisions, messages } = report(network.decided(auth, 500, decides));
  expect(decisions).toMatchObject([{ approved, asked, authorization: { type: 'advice' } }]);
  expect(messages).toEqual([]);
});

it('tells reversals by the amounts before and after them', () => {
  const auth = network.opened();
  const { id } = auth;
  network.decided(auth, 5_000, { approved: true });
  const part = report(network.reversed(auth, 2_000)).messages;
  expect(part.map(shown)).toEqual([`reversal ${id}:1:5000-3000 20 USD ${id}`]);
  network.decided(auth, 2_000, { approved: true });
  const again = report(network.reversed(auth, 2_000)).messages;
  expect(again.map(shown)).toEqual([`reversal ${id}:2:5000-3000 20 USD ${id}`]);
  const rest = report(network.reversed(auth, 3_000)).messages;
  expect(rest.map(shown)).toEqual([`reversal ${id}:2:3000-0 30 USD ${id}`]);
});

it('releases an expired authorization whole, although its amount stays for late captures', () => {
  const auth = network.opened();
  network.decided(auth, 5_000, { approved: true });
  const [message] = report(network.expired(auth)).messages;
  expect(message && shown(message)).toBe(`reversal ${auth['id']}:1:5000-0 50 USD ${auth['id']}`);
});

it('tells no reversal of a closed or declined authorization, nor of an unchanged amount', () => {
  const closed = network.opened();
  network.decided(closed, 5_000, { approved: true });
  const [update, capture] = network.captured(closed, 3_000);
  expect(report(update as Json).messages).toEqual([]);
  expect(report(capture as Json).messages.map(shown)).toEqual([
    `clearing ${capture?.['data'].object.id} 30 USD ${closed['id']} final`,
  ]);
  const declined = network.opened();
  network.decided(declined, 5_000, { approved: false });
  const reversal = account.event(
    'issuing_authorization.updated',
    { ...declined, status: 'reversed' },
    {
      status: 'pending',
    },
  );
  expect(report(reversal).messages).toEqual([]);
  const unchanged = network.opened();
  network.decided(unchanged, 5_000, { approved: true });
  expect(
    report(account.event('issuing_authorization.updated', unchanged, { metadata: {} })).messages,
  ).toEqual([]);
});

it('names a transaction without an authorization by itself', () => {
  const [forced] = network.captured(null, 700);
  const transaction = forced?.['data'].object.id;
  expect(report(forced as Json).messages.map(shown)).toEqual([
    `clearing ${transaction} 7 USD ${transaction}`,
  ]);
  const refund = network.refunded(null, 250);
  const returned = refund['data'].object.id;
  expect(report(refund).messages.map(shown)).toEqual([`refund ${returned} 2.5 USD ${returned}`]);
});

it('leaves out transactions of zero, and events of other kinds', () => {
  const [zero] = network.captured(null, 0);
  expect(report(zero as Json)).toEqual(NOTHING_REPORTED);
  expect(report(account.event('issuing_dispute.created', { id: 'idp_1' }))).toEqual(NOTHING_REPORTED);
});

describe('the channel', () => {
  it.each([
    [{ authorization_method: 'chip' }, 'present'],
    [{ authorization_method: 'contactless' }, 'present'],
    [{ authorization_method: 'swipe' }, 'present'],
    [{ authorization_method: 'online' }, 'ecommerce'],
    [{ authorization_method: 'keyed_in' }, 'moto'],
    [{ authorization_method: 'keyed_in', card_presence: 'present' }, 'present'],
    [{ authorization_method: 'telepathy' }, undefined],
    [{ authorization_method: null }, undefined],
    [{ authorization_method: 'chip', merchant_data: { category_code: '6011' } }, 'atm'],
    [{ authorization_method: 'online', merchant_data: { category_code: '6011' } }, 'ecommerce'],
  ])('of %j is %s', (given, channel) => {
    expect(question(network.question(network.opened(given), 100)).channel).toBe(channel);
  });
});

it.each([
  ['authenticated', true],
  ['attempt_acknowledged', undefined],
  ['failed', undefined],
  ['required', undefined],
])('takes a 3-D Secure result of %s as authentication: %s', (result, authenticated) => {
  const given = { verification_data: { three_d_secure: { result } } };
  expect(question(network.question(network.opened(given), 100)).authenticated).toBe(authenticated);
});

it('drops fields of a merchant that cannot be read, and no more', () => {
  const merchant_data = { network_id: 'a b', name: ` ${'x'.repeat(200)}`, category_code: '1', country: 'at' };
  const { merchant } = question(network.question(network.opened({ merchant_data }), 100));
  expect(merchant).toEqual({ name: 'x'.repeat(99 + 1) });
});

it('reads amounts by the minor units of their currency', () => {
  const auth = network.opened();
  const event = network.question(auth, 500);
  event['data'].object.pending_request.currency = 'jpy';
  expect(shown(question(event))).toContain('500 JPY');
});

describe('an unreadable object', () => {
  const broken: [string, (object: Json) => void][] = [
    ['without an id', (object) => delete object['id']],
    ['without a card', (object) => delete object['card']],
    ['with a fraction of a minor unit', (object) => (object['pending_request'].amount = 1.5)],
    ['with an amount below zero', (object) => (object['pending_request'].amount = -1)],
    ['of an unknown currency', (object) => (object['pending_request'].currency = 'zzz')],
    ['without a pending request', (object) => (object['pending_request'] = null)],
    ['without its history', (object) => delete object['request_history']],
  ];
  it.each(broken)('%s is shown to a person', (_what, breaks) => {
    const event = network.question(network.opened(), 100);
    breaks(event['data'].object);
    expect(() => of(event)).toThrow(UnreadableCallback);
  });

  it.each([
    ['capture', 100],
    ['refund', -100],
    ['chargeback', -100],
  ])('a %s of %d is shown to a person', (type, amount) => {
    const [event] = network.captured(null, 100);
    Object.assign(event?.['data'].object, { type, amount });
    expect(() => of(event as Json)).toThrow(UnreadableCallback);
  });
});
