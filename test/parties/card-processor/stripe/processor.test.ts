import type { CardOrder, CardProcessor } from '../../../../src/parties/card-processor/port';
import { isReportRef } from '../../../../src/parties/card-processor/report';
import { createStripeCardProcessor } from '../../../../src/parties/card-processor/stripe/processor';
import { namesOf } from '../../../../src/parties/stripe/names';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../../../src/process/party-errors';
import { type TestDatabase, testDatabase } from '../../../support/database';
import { SECRET, type StripeAccount, stripeAccount } from './account';
import { networkOf } from './network';

/** Cards at Stripe Issuing: each is ordered once, and its state is read from Stripe. */

const NOW = new Date('2026-03-01T12:00:00Z');
const now = () => NOW;

let database: TestDatabase;
let account: StripeAccount;
let processor: CardProcessor;
beforeAll(async () => {
  database = await testDatabase(4);
});
beforeEach(async () => {
  account = await stripeAccount({ now });
  processor = createStripeCardProcessor({
    secretKey: 'sk_test_123',
    webhookSecrets: [SECRET],
    programmes: {
      '44112200': { currency: 'USD', type: 'virtual', shipping: 'standard', cardholder: 'ich_company' },
      '44112201': { currency: 'EUR', type: 'physical', shipping: 'express', personalizationDesign: 'ics_1' },
    },
    server: account.server,
    database: database.runtime,
    now,
  });
});
afterEach(() => account.close());
afterAll(() => database.drop());

let keys = 0;
const orderOf = (given: Partial<CardOrder> = {}): CardOrder => ({
  key: `issue-card_${(keys += 1)}`,
  bin: '44112200',
  currency: 'USD',
  cardholderId: 'chd_1',
  label: 'Travel',
  callbackUrl: 'https://api.example/callbacks/card-processor',
  ...given,
});
const ISSUED = { status: 'issued', reference: expect.stringMatching(/^ic_/), last4: '4242' };

it('orders a card under our key, and reads its state', async () => {
  const order = orderOf();
  expect(await processor.issuance(order.key)).toBe('unknown_to_party');
  expect(await processor.issue(order)).toEqual({ ...ISSUED, expiryMonth: 12, expiryYear: 2031 });
  expect(await processor.issuance(order.key)).toMatchObject(ISSUED);
  const [made] = account.requests.filter(({ method }) => method === 'POST');
  expect(made).toMatchObject({
    path: '/v1/issuing/cards',
    key: order.key,
    fields: {
      cardholder: 'ich_company',
      currency: 'usd',
      type: 'virtual',
      status: 'active',
      metadata: { origin: 'cardwright', key: order.key, cardholder: 'chd_1' },
    },
  });
});

it('searches for an order only when an earlier attempt may have reached Stripe', async () => {
  await processor.issue(orderOf());
  expect(account.requests.filter(({ method }) => method === 'GET')).toEqual([]);
});

it('orders a card once, although the order is repeated after Stripe has forgotten the key', async () => {
  const order = orderOf();
  const word = await processor.issue(order);
  account.state.forgetsKeys = true;
  expect(await processor.issue(order)).toEqual(word);
  expect(account.cards.size).toBe(1);
});

it('orders a card once, although the answer was lost and Stripe has forgotten the key', async () => {
  const order = orderOf();
  await processor.issue(order);
  await database.database.query('update party_names set ref = null');
  account.state.forgetsKeys = true;
  expect(await processor.issue(order)).toMatchObject(ISSUED);
  expect(account.cards.size).toBe(1);
  expect(await processor.issuance(order.key)).toMatchObject(ISSUED);
});

it('sends a physical card with its design to the address of its cardholder', async () => {
  const address = { line1: 'Ring 1', city: 'Vienna', country: 'AT', postal_code: '1010' };
  account.cardholders.set('ich_7', {
    id: 'ich_7',
    name: 'Ada Byron',
    phone_number: '+436601234567',
    billing: { address },
  });
  await namesOf(database.runtime, 'cardholderReview').keep(['chd_7'], 'ich_7');
  await processor.issue(orderOf({ bin: '44112201', currency: 'EUR', cardholderId: 'chd_7' }));
  const { fields } = account.requests.at(-1) ?? {};
  expect(fields).toMatchObject({
    type: 'physical',
    personalization_design: 'ics_1',
    shipping: { name: 'Ada Byron', service: 'express', phone_number: '+436601234567', address },
  });
});

it.each([
  ['programme_unknown', { bin: '99999999' }],
  ['wrong_currency', { currency: 'EUR' }],
  ['cardholder_unknown', { bin: '44112201', currency: 'EUR', cardholderId: 'chd_unknown' }],
])('refuses an order with %s', async (code, given) => {
  await expect(processor.issue(orderOf(given))).rejects.toMatchObject({ name: 'PartyRefused', code });
  expect(account.cards.size).toBe(0);
});

it('closes a card, whoever has closed it', async () => {
  const order = orderOf();
  const word = await processor.issue(order);
  const reference = word.status === 'issued' ? word.reference : '';
  const closure = { key: `close-${order.key}`, reference, callbackUrl: order.callbackUrl };
  expect(await processor.closure(closure)).toBe('unknown_to_party');
  expect(await processor.close(closure)).toEqual({ status: 'closed' });
  expect(await processor.closure(closure)).toEqual({ status: 'closed' });
  expect(await processor.close({ ...closure, key: `${closure.key}-2` })).toEqual({ status: 'closed' });
  expect(account.cards.get(reference)?.['metadata']).toMatchObject({
    key: order.key,
    closure_key: closure.key,
  });
});

it('refuses tokens, and numbers that the account may not read', async () => {
  const word = await processor.issue(orderOf());
  const reference = word.status === 'issued' ? word.reference : '';
  expect(await processor.sensitive(reference)).toMatchObject({ cardNumber: '4242424242424242', cvv: '123' });
  account.state.hidesNumbers = true;
  await expect(processor.sensitive(reference)).rejects.toEqual(new PartyRefused('number_unavailable'));
  const token = { key: 'tokenize-tkn_1', reference, wallet: 'apple_pay', callbackUrl: '' } as const;
  expect(await processor.tokenization(token)).toBe('unknown_to_party');
  await expect(processor.tokenize(token)).rejects.toEqual(new PartyRefused('push_provisioning_unsupported'));
});

it('does not know what it did where Stripe does not answer', async () => {
  const order = orderOf();
  const word = await processor.issue(order);
  const reference = word.status === 'issued' ? word.reference : '';
  account.state.breaks = 'all';
  await expect(processor.issuance(order.key)).rejects.toThrow(PartyAway);
  await expect(processor.sensitive(reference)).rejects.toThrow(PartyAway);
  await expect(processor.close({ key: 'close-1', reference, callbackUrl: '' })).rejects.toThrow(
    OutcomeUnknown,
  );
  await expect(processor.changes(null)).rejects.toThrow(PartyAway);
  await expect(processor.balances?.()).rejects.toThrow(PartyAway);
});

it('reads the issuing balance by currency', async () => {
  expect(await processor.balances?.()).toEqual({
    asOf: NOW,
    balances: [{ currency: 'USD', amount: expect.objectContaining({}) }],
  });
  expect((await processor.balances?.())?.balances[0]?.amount.toFixed(2)).toBe('10000.00');
});

it('lists orders by their keys, and reports by events', async () => {
  const order = orderOf();
  const word = await processor.issue(order);
  const reference = word.status === 'issued' ? word.reference : '';
  await processor.close({ key: 'close-7', reference, callbackUrl: '' });
  const network = networkOf(account, reference);
  const authorization = network.opened();
  network.question(authorization, 500);
  network.decided(authorization, 500, { approved: true });
  account.listed('issuing_card.updated', { id: 'ic_stranger', metadata: {} }, {});
  const { changes } = await processor.changes(String(account.seconds() - 60));
  const refs = changes.map(({ ref }) => ref);
  expect(refs.filter((ref) => !isReportRef(ref))).toEqual([order.key, order.key, 'close-7']);
  const [ref = ''] = refs.filter(isReportRef);
  expect(refs.filter(isReportRef)).toHaveLength(1);
  expect(new Set(changes.map(({ id }) => id)).size).toBe(changes.length);
  expect(await processor.reported?.(ref)).toMatchObject({ decisions: [{ approved: true }] });
});

it('reads an event again that it does not remember', async () => {
  const network = networkOf(account, 'ic_1');
  const event = network.refunded(null, 500);
  expect(await processor.reported?.(`network:${event['id']}`)).toMatchObject({
    messages: [{ type: 'refund' }],
  });
  expect(account.requests.at(-1)).toMatchObject({ path: `/v1/events/${event['id']}` });
});

it('names the order of a callback about a card, and no order of other events', async () => {
  const order = orderOf();
  await processor.issue(order);
  const [created] = account.events;
  const { raw, headers } = account.signed(created ?? {});
  expect(processor.verify(raw, headers)).toEqual({ externalId: created?.['id'], ref: order.key });
  const other = account.signed(networkOf(account, 'ic_1').refunded(null, 500));
  expect(processor.verify(other.raw, other.headers)).toMatchObject({ ref: null });
  const forged = account.signed(created ?? {}, 'whsec_forged');
  expect(processor.verify(forged.raw, forged.headers)).toBeUndefined();
  expect(processor.verifyMessage(forged.raw, forged.headers)).toBeUndefined();
});
