import Stripe from 'stripe';
import { readConfig } from '../../../src/kernel/config/config';
import { Decimal } from '../../../src/kernel/money/money';
import type { CheckoutParty, NewCheckoutSession } from '../../../src/parties/checkout/port';
import { fromMinorUnits, toMinorUnits } from '../../../src/parties/stripe/amounts';
import {
  OutcomeUnknown,
  PartyAway,
  PartyRefused,
  UnreadableAnswer,
  UnreadableCallback,
} from '../../../src/process/party-errors';
import { masterKeysText } from '../../support/keyring';
import { type StripeMock, startStripeMock, stripeMockExecutable } from '../../support/outside/stripe-mock';
import {
  type Answer,
  account,
  charge,
  intent,
  type Json,
  NOW,
  SECRET,
  session,
  stripeServer,
} from './stripe-server';
import { summaryOf } from './summary';

const order = (given: Partial<NewCheckoutSession> = {}): NewCheckoutSession => ({
  key: 'dep_1',
  depositId: 'dep_1',
  method: 'card',
  amount: new Decimal('12.34'),
  currency: 'EUR',
  merchant: 'Acme',
  expiresAt: new Date('2026-03-01T12:30:00Z'),
  returnUrl: 'https://shop.example/back',
  callbackUrl: 'https://api.example/callbacks/checkout',
  ...given,
});

describe('amounts', () => {
  it.each([
    ['12.34', 'EUR', 1234],
    ['0.01', 'USD', 1],
    ['500', 'JPY', 500],
    ['5.12', 'KWD', 5120],
    ['5', 'ISK', 500],
    ['7', 'UGX', 700],
    ['3', 'MGA', 3],
    ['90071992547409.91', 'USD', 9_007_199_254_740_991],
  ])('%s %s converts to %d minor units and back', (amount, currency, units) => {
    expect(toMinorUnits(new Decimal(amount), currency)).toBe(units);
    expect(fromMinorUnits(units, currency.toLowerCase()).toFixed()).toBe(amount);
  });

  it.each([
    ['5.124', 'KWD'],
    ['0.5', 'JPY'],
    ['3.10', 'MGA'],
    ['1.5', 'ISK'],
    ['1.001', 'EUR'],
    ['90071992547409.92', 'USD'],
  ])('%s %s is refused rather than rounded', (amount, currency) => {
    expect(() => toMinorUnits(new Decimal(amount), currency)).toThrow(PartyRefused);
  });
});

describe('against stripe-mock', () => {
  let executable: string | undefined;
  let mock: StripeMock;
  let stripe: Awaited<ReturnType<typeof stripeServer>>;

  beforeAll(async () => {
    executable = await stripeMockExecutable().catch((error: Error) => {
      console.warn(`SKIPPED, requests to Stripe are not checked: ${error.message}`);
      return undefined;
    });
    if (!executable) return;
    mock = await startStripeMock(executable);
    stripe = await stripeServer(() => passedOn);
  }, 900_000);
  afterAll(async () => {
    if (!executable) return;
    await stripe.close();
    await mock.close();
  });

  /** Passes a request on to the mock without `allowed_payment_method_types`, which the mock's API does not know. */
  const passedOn: Answer = async ({ method, path, query }, { body, headers }) => {
    const fields = new URLSearchParams(body);
    fields.delete('allowed_payment_method_types[0]');
    const search = new URLSearchParams(query).toString();
    const response = await fetch(`http://127.0.0.1:${mock.port}${path}${search ? `?${search}` : ''}`, {
      method,
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      ...(method === 'POST' ? { body: fields } : {}),
    });
    const answer = (await response.json()) as Json;
    const whole = answer['object'] === 'checkout.session' ? { ...answer, ...overlay } : answer;
    return { status: response.status, body: JSON.stringify(whole) };
  };
  /** Fields that replace those of a canned session. */
  let overlay: Json = {};

  /** A test that is skipped with a warning when stripe-mock is missing. */
  const check = (name: string, work: () => Promise<void>) =>
    it(name, async () => {
      if (executable) await work();
      else console.warn(`SKIPPED: ${name}`);
    });

  check('a session is asked for under our key, in minor units, for cards alone', async () => {
    overlay = { url: 'https://pay.example/1' };
    expect(await stripe.adapter.createSession(order())).toMatchObject({
      redirectUrl: 'https://pay.example/1',
    });
    expect(stripe.requests).toEqual([
      {
        method: 'POST',
        path: '/v1/checkout/sessions',
        query: {},
        key: 'dep_1',
        fields: {
          mode: 'payment',
          'allowed_payment_method_types[0]': 'card',
          'adaptive_pricing[enabled]': 'false',
          'line_items[0][quantity]': '1',
          'line_items[0][price_data][currency]': 'eur',
          'line_items[0][price_data][unit_amount]': '1234',
          'line_items[0][price_data][product_data][name]': 'Acme',
          client_reference_id: 'dep_1',
          'metadata[origin]': 'cardwright',
          'metadata[deposit]': 'dep_1',
          'metadata[expires_at]': '1772368200',
          'payment_intent_data[metadata][origin]': 'cardwright',
          'payment_intent_data[metadata][deposit]': 'dep_1',
          success_url: 'https://shop.example/back',
          cancel_url: 'https://shop.example/back',
        },
      },
    ]);
  });

  check('a session is read, expired, and its money given back, by requests that the API knows', async () => {
    stripe.requests.length = 0;
    overlay = {
      id: 'cs_test_1',
      status: 'open',
      currency: 'usd',
      payment_intent: 'pi_1',
      metadata: { expires_at: '1' },
    };
    expect(await stripe.adapter.ask('cs_test_1')).toMatchObject({ refunds: expect.any(Array) });
    const currency = 'USD';
    const refund = { key: 'rfd_1', sessionId: 'cs_test_1', amount: new Decimal('1'), currency };
    expect(await stripe.adapter.refund(refund)).toMatchObject({ refundId: expect.stringMatching(/^re_/) });
    const asked = stripe.requests.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(asked)).toEqual(
      new Set([
        'GET /v1/checkout/sessions/cs_test_1',
        'POST /v1/checkout/sessions/cs_test_1/expire',
        'GET /v1/refunds',
        'GET /v1/disputes',
        'POST /v1/refunds',
      ]),
    );
  });

  check('events are asked for by a request that the API knows', async () => {
    stripe.requests.length = 0;
    const page = await stripe.adapter.changes(String(NOW.getTime() / 1000 - 60));
    expect(page).toMatchObject({ unreadable: [], more: false });
    expect(stripe.requests[0]).toMatchObject({ method: 'GET', path: '/v1/events' });
  });
});

describe('the adapter', () => {
  let answer: Answer;
  let stripe: Awaited<ReturnType<typeof stripeServer>>;
  let adapter: CheckoutParty;
  beforeAll(async () => {
    stripe = await stripeServer(() => answer);
    adapter = stripe.adapter;
  });
  beforeEach(() => {
    stripe.requests.length = 0;
  });
  afterAll(() => stripe.close());

  const stateOf = async (given: Parameters<typeof account>[0]) => {
    answer = account(given);
    return summaryOf(await adapter.ask('cs_1'));
  };

  it.each([
    [session({ status: 'open', payment_intent: null }), { status: 'open' }],
    [session({ status: 'expired', payment_intent: null }), { status: 'expired' }],
    [session(), { status: 'paid', paid: { amount: '12.34', currency: 'EUR' } }],
    [
      session({
        payment_intent: intent({ latest_charge: charge({ balance_transaction: { status: 'available' } }) }),
      }),
      { status: 'settled', paid: { amount: '12.34', currency: 'EUR' } },
    ],
    [
      session({ payment_intent: intent({ latest_charge: charge({ balance_transaction: null }) }) }),
      { status: 'paid' },
    ],
    [
      session({
        payment_intent: intent({
          status: 'requires_payment_method',
          last_payment_error: { code: 'card_declined' },
        }),
      }),
      { status: 'failed', failureCode: 'card_declined' },
    ],
    [
      session({ status: 'open', payment_intent: intent({ status: 'requires_payment_method' }) }),
      { status: 'open' },
    ],
    [session({ payment_intent: intent({ status: 'processing' }) }), { status: 'open' }],
    [session({ payment_intent: intent({ review: { open: true } }) }), { status: 'paid', risk: 'review' }],
    [session({ payment_intent: intent({ review: { open: false } }) }), { status: 'paid', risk: 'normal' }],
    [
      session({ payment_intent: intent({ latest_charge: charge({ outcome: { risk_level: 'highest' } }) }) }),
      { risk: 'review' },
    ],
    [
      session({
        payment_intent: intent({ latest_charge: charge({ currency: 'jpy', amount_captured: 500 }) }),
      }),
      { paid: { amount: '500', currency: 'JPY' } },
    ],
  ])('reports the state of a session (%#)', async (given, state) => {
    expect(await stateOf({ session: given })).toMatchObject(state);
  });

  it('lists refunds and disputes, oldest first, and leaves out inquiries', async () => {
    const refund = (id: string, status: string) => ({
      id,
      object: 'refund',
      amount: 100,
      currency: 'eur',
      status,
    });
    const dispute = (id: string, status: string) => ({
      id,
      object: 'dispute',
      amount: 1234,
      currency: 'eur',
      status,
    });
    const state = await stateOf({
      session: session(),
      refunds: [
        refund('re_4', 'requires_action'),
        refund('re_3', 'canceled'),
        refund('re_2', 'failed'),
        refund('re_1', 'succeeded'),
      ],
      disputes: [
        dispute('dp_6', 'prevented'),
        dispute('dp_5', 'warning_needs_response'),
        dispute('dp_4', 'lost'),
        dispute('dp_3', 'won'),
        dispute('dp_2', 'under_review'),
        dispute('dp_1', 'needs_response'),
      ],
    });
    expect(state['refunds'].map(({ id, status }: Json) => `${id} ${status}`)).toEqual([
      're_1 succeeded',
      're_2 failed',
      're_3 failed',
      're_4 pending',
    ]);
    expect(state['disputes'].map(({ id, status, amount }: Json) => `${id} ${status} ${amount}`)).toEqual([
      'dp_1 open 12.34',
      'dp_2 open 12.34',
      'dp_3 won 12.34',
      'dp_4 lost 12.34',
    ]);
  });

  it('expires an open session only when its deposit has expired', async () => {
    const over = session({
      status: 'open',
      payment_intent: null,
      metadata: { origin: 'cardwright', expires_at: String(NOW.getTime() / 1000) },
    });
    expect(await stateOf({ session: over })).toMatchObject({ status: 'expired' });
    expect(stripe.requests.map(({ path }) => path)).toContain('/v1/checkout/sessions/cs_1/expire');
    stripe.requests.length = 0;
    await stateOf({ session: session({ status: 'open', payment_intent: null }) });
    await stateOf({ session: { ...over, status: 'complete' } });
    expect(stripe.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('returns the page of a new session, and refuses methods other than card', async () => {
    answer = account({ session: session() });
    expect(await adapter.createSession(order())).toEqual({
      sessionId: 'cs_1',
      redirectUrl: 'https://pay.example/cs_1',
    });
    for (const method of ['bank_transfer', 'crypto'] as const)
      await expect(adapter.createSession(order({ method }))).rejects.toEqual(
        new PartyRefused('method_unavailable'),
      );
    expect(stripe.requests).toHaveLength(1);
  });

  it('orders a refund under our key, and finds an old one under that key', async () => {
    const refund = { key: 'rfd_1', sessionId: 'cs_1', amount: new Decimal('1.5'), currency: 'EUR' };
    answer = account({ session: session(), created: { id: 're_1', object: 'refund', status: 'pending' } });
    expect(await adapter.refund(refund)).toEqual({ refundId: 're_1', status: 'pending' });
    expect(stripe.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: '/v1/refunds',
      key: 'rfd_1',
      fields: { payment_intent: 'pi_1', amount: '150', 'metadata[key]': 'rfd_1' },
    });
    stripe.requests.length = 0;
    const known = {
      id: 're_7',
      amount: 150,
      currency: 'eur',
      status: 'succeeded',
      metadata: { key: 'rfd_1' },
    };
    answer = account({ session: session(), refunds: [known] });
    expect(await adapter.refund(refund)).toEqual({ refundId: 're_7', status: 'succeeded' });
    expect(stripe.requests.some(({ method }) => method === 'POST')).toBe(false);

    await expect(adapter.refund({ ...refund, currency: 'USD' })).rejects.toMatchObject({
      code: 'wrong_currency',
    });
    answer = account({ session: session({ payment_intent: null }) });
    await expect(adapter.refund(refund)).rejects.toMatchObject({ code: 'not_paid' });
  });

  const stripeError = (code: string, type = 'invalid_request_error') =>
    JSON.stringify({ error: { type, code, message: `Stripe does not like sk_test_123: ${code}` } });

  it.each([
    [{ status: 400, body: stripeError('amount_too_small') }, PartyRefused, 'amount_too_small'],
    [{ status: 401, body: stripeError('api_key_expired') }, PartyAway, undefined],
    [{ status: 403, body: stripeError('not_permitted') }, PartyAway, undefined],
    [{ status: 409, body: stripeError('idempotency_key_in_use') }, PartyAway, undefined],
    [{ status: 429, body: stripeError('rate_limit') }, PartyAway, undefined],
    [{ status: 500, body: stripeError('oops', 'api_error') }, OutcomeUnknown, undefined],
    [{ status: 200, body: '<html>' }, OutcomeUnknown, undefined],
    [
      { status: 400, body: stripeError('idempotency_key_reused', 'idempotency_error') },
      OutcomeUnknown,
      undefined,
    ],
    [{ status: 404, body: stripeError('resource_missing') }, PartyAway, undefined],
    [{ status: 200, body: 'null' }, UnreadableAnswer, undefined],
    [{ status: 200, body: '{"id":"cs_1","url":null}' }, UnreadableAnswer, undefined],
    [{ status: 200, body: '{"id":7,"url":"https://pay.example"}' }, UnreadableAnswer, undefined],
    [{ status: 200, body: '{"id":"cs_1","url":"nowhere"}' }, UnreadableAnswer, undefined],
    [undefined, OutcomeUnknown, undefined],
  ])('interprets the answer %j without naming Stripe', async (given, kind, code) => {
    answer = async () => given;
    const error = (await adapter.createSession(order()).catch((thrown: Error) => thrown)) as PartyRefused;
    expect(error.constructor).toBe(kind);
    expect(error.code).toBe(code);
    expect(error.message).not.toMatch(/stripe|sk_test/i);
  });

  it('reports a failed read as PartyAway, because reads change nothing', async () => {
    answer = async () => undefined;
    const error = (await adapter.ask('cs_1').catch((thrown: Error) => thrown)) as Error;
    expect(error.constructor).toBe(PartyAway);
    answer = async () => ({ status: 404, body: stripeError('resource_missing') });
    expect(await adapter.ask('cs_1')).toBe('unknown_to_party');
  });

  it('returns the whole state: our key, the payment, refunds and disputes', async () => {
    const refund = { id: 're_1', object: 'refund', amount: 100, currency: 'eur', status: 'pending' };
    const dispute = { id: 'dp_1', object: 'dispute', amount: 1234, currency: 'eur', status: 'lost' };
    const metadata = { origin: 'cardwright', deposit: 'dep_1', expires_at: '1772368200' };
    answer = account({
      session: session({ metadata }),
      refunds: [
        { ...refund, metadata: { key: 'rfd_1' } },
        { ...refund, id: 're_2' },
      ],
      disputes: [dispute],
    });
    const money = (amount: string) => ({ amount, currency: 'EUR' });
    expect(JSON.parse(JSON.stringify(await adapter.ask('cs_1')))).toEqual({
      key: 'dep_1',
      page: 'paid',
      payments: [{ id: 'pi_1', ...money('12.34'), status: 'pending' }],
      risk: 'normal',
      refunds: [
        { id: 're_2', ...money('1'), status: 'pending' },
        { id: 're_1', key: 'rfd_1', ...money('1'), status: 'pending' },
      ],
      disputes: [{ id: 'dp_1', ...money('12.34'), status: 'lost' }],
    });
    answer = account({ session: session({ metadata: { deposit: 'dep_1' } }) });
    expect(await adapter.ask('cs_1')).toMatchObject({ key: null });
    answer = async () => ({ status: 404, body: stripeError('resource_missing') });
    expect(await adapter.ask('cs_1')).toBe('unknown_to_party');
  });

  it.each<[Parameters<typeof account>[0]]>([
    [
      {
        session: session({
          payment_intent: intent({ latest_charge: charge({ amount_captured: undefined }) }),
        }),
      },
    ],
    [{ session: session({ payment_intent: intent({ latest_charge: charge({ currency: null }) }) }) }],
    [{ session: session({ payment_intent: intent({ latest_charge: charge({ amount_captured: 1.5 }) }) }) }],
    [{ session: session({ payment_intent: intent({ latest_charge: charge({ currency: 'zzz' }) }) }) }],
    [{ session: session(), refunds: [{ id: 're_1', amount: '1', status: 'succeeded' }] }],
    [{ session: session(), refunds: [null as never] }],
    [{ session: session(), disputes: [{ id: 7, amount: 1, currency: 'eur', status: 'lost' }] }],
    [{ session: session(), refunds: 'none' as never }],
  ])('throws on an unreadable answer (%#)', async (given) => {
    answer = account(given);
    const error = (await adapter.ask('cs_1').catch((thrown: Error) => thrown)) as Error;
    expect(error).toBeInstanceOf(OutcomeUnknown);
  });

  it('drops a failure code that is no plain word', async () => {
    const failed = (code: string) =>
      session({
        payment_intent: intent({ status: 'requires_payment_method', last_payment_error: { code } }),
      });
    expect(await stateOf({ session: failed('card_declined') })).toMatchObject({
      failureCode: 'card_declined',
    });
    expect(await stateOf({ session: failed('Mr Miller') })).not.toHaveProperty('failureCode');
  });

  it('does not refuse a refund of an unknown session, because the credential may be wrong', async () => {
    answer = async () => ({ status: 404, body: stripeError('resource_missing') });
    const refund = { key: 'rfd_1', sessionId: 'cs_1', amount: new Decimal('1.5'), currency: 'EUR' };
    await expect(adapter.refund(refund)).rejects.toThrow(PartyAway);
    answer = account({ session: session(), created: { object: 'refund', status: 'pending' } });
    await expect(adapter.refund(refund)).rejects.toThrow(OutcomeUnknown);
  });

  describe('a callback', () => {
    const sign = (payload: string, secret = SECRET, at = NOW) => ({
      'stripe-signature': Stripe.webhooks.generateTestHeaderString({
        payload,
        secret,
        timestamp: Math.floor(at.getTime() / 1000),
      }),
    });
    const event = (object: Json, type = 'checkout.session.completed') =>
      JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
    const verify = (payload: string, headers: Record<string, string>) =>
      adapter.verify(Buffer.from(payload), headers);
    beforeEach(() => {
      answer = account({ session: session() });
    });

    it('refers to the session that it names, or to the session of its payment', async () => {
      const about = { externalId: 'evt_1', ref: 'cs_1', sessionId: 'cs_1' };
      for (const object of [
        session(),
        { object: 'payment_intent', id: 'pi_1' },
        { object: 'charge', id: 'ch_1', payment_intent: 'pi_1' },
        { object: 'dispute', id: 'dp_1', payment_intent: 'pi_1' },
        { object: 'refund', id: 're_1', payment_intent: { id: 'pi_1' } },
      ]) {
        const payload = event(object);
        expect(await verify(payload, sign(payload))).toEqual(about);
      }
      expect(stripe.requests.map(({ query }) => query['payment_intent'])).toEqual([
        'pi_1',
        'pi_1',
        'pi_1',
        'pi_1',
      ]);
    });

    it('refers to no session when another program made it', async () => {
      const stranger = session({ metadata: {} });
      answer = account({ session: stranger });
      for (const object of [stranger, { object: 'charge', payment_intent: 'pi_9' }, { object: 'balance' }]) {
        const payload = event(object);
        expect(await verify(payload, sign(payload))).toEqual({
          externalId: 'evt_1',
          ref: null,
          sessionId: null,
        });
      }
    });

    it.each([
      'nonsense',
      'null',
      '{}',
      '{"id":"evt_1"}',
      '{"id":"evt_1","data":{"object":null}}',
      '{"data":{"object":{}}}',
    ])('is unreadable when it is signed and says %s', async (payload) => {
      await expect(verify(payload, sign(payload))).rejects.toBeInstanceOf(UnreadableCallback);
    });

    it('is rejected with a wrong, old or missing signature, or another body', async () => {
      const payload = event(session());
      const old = new Date(NOW.getTime() - 301_000);
      expect(await verify(payload, sign(payload, 'whsec_other'))).toBeUndefined();
      expect(await verify(payload, sign(payload, SECRET, old))).toBeUndefined();
      expect(await verify(payload, {})).toBeUndefined();
      expect(await verify(payload, { 'stripe-signature': 't=1,v1=zz' })).toBeUndefined();
      expect(await verify(`${payload} `, sign(payload))).toBeUndefined();
      const nearlyOld = new Date(NOW.getTime() - 299_000);
      expect(await verify(payload, sign(payload, SECRET, nearlyOld))).toBeDefined();
    });

    it('throws PartyAway when Stripe cannot say which session it is about', async () => {
      const payload = event({ object: 'charge', payment_intent: 'pi_1' });
      answer = async () => undefined;
      await expect(verify(payload, sign(payload))).rejects.toThrow(PartyAway);
    });
  });
});

describe('the configuration of Stripe', () => {
  const keys = { STRIPE_SECRET_KEY: 'sk_test_abc', STRIPE_WEBHOOK_SECRET: 'whsec_abc' };

  it('is off without keys, and on with both', () => {
    expect(readConfig({}).outside.stripe).toBeUndefined();
    expect(readConfig(keys).outside.stripe).toEqual({ secretKey: 'sk_test_abc', webhookSecret: 'whsec_abc' });
  });

  it.each([
    [{ STRIPE_SECRET_KEY: 'sk_test_abc' }],
    [{ STRIPE_WEBHOOK_SECRET: 'whsec_abc' }],
    [{ ...keys, STRIPE_SECRET_KEY: 'pk_test_abc' }],
    [{ ...keys, STRIPE_SECRET_KEY: 'sk_live_abc' }],
    [{ ...keys, STRIPE_WEBHOOK_SECRET: 'abc' }],
    [
      {
        ...keys,
        MODE: 'live',
        MASTER_KEYS: masterKeysText(Buffer.alloc(32)),
        DATABASE_URL: 'postgres://x',
      },
    ],
  ])('refuses %j without showing it', (environment) => {
    expect(() => readConfig(environment)).toThrow(/STRIPE/);
    expect(() => readConfig(environment)).not.toThrow(/_abc/);
  });
});
