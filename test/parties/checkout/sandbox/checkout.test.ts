import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Decimal } from '../../../../src/kernel/money/money';
import { createHttpCheckout } from '../../../../src/parties/checkout/http';
import type { CheckoutParty, NewCheckoutSession } from '../../../../src/parties/checkout/port';
import { partyPath, partySecret } from '../../../../src/parties/sandbox/mount';
import {
  OutcomeUnknown,
  PartyAway,
  PartyRefused,
  UnreadableAnswer,
} from '../../../../src/process/party-errors';
import { type TestApi, testApi } from '../../../support/api';
import { type Received, type Receiver, startReceiver } from '../../../support/outside/receiver';
import { ownPort } from '../../../support/own-port';
import { until } from '../../../support/until';
import { summaryOf } from '../summary';

let api: TestApi;
let shop: Receiver;
let party: CheckoutParty;
let clock: number;
const now = () => new Date(clock);

beforeAll(async () => {
  clock = Date.now();
  api = await testApi({ now });
  shop = await startReceiver({ http: true });
  party = api.services.parties.checkout;
});
beforeEach(() => {
  clock = Date.now();
});
afterAll(async () => {
  await shop.close();
  await api.close();
});

let sequence = 0;

function order(given: Partial<NewCheckoutSession> = {}): NewCheckoutSession {
  sequence += 1;
  return {
    key: `key-${sequence}`,
    depositId: `dep-${sequence}`,
    method: 'card',
    amount: new Decimal('50'),
    currency: 'EUR',
    merchant: 'Acme',
    expiresAt: new Date(clock + 60_000),
    returnUrl: 'https://shop.example/back?order=7',
    callbackUrl: `${shop.url}/callbacks/${sequence}`,
    ...given,
  };
}

/** Sends a form of the page as a browser does. */
async function send(page: string, fields: Record<string, string>) {
  const response = await fetch(page, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}

async function paid(given: Partial<NewCheckoutSession> = {}, fields: Record<string, string> = {}) {
  const asked = order(given);
  const session = await party.createSession(asked);
  const amount = asked.amount.toFixed();
  expect((await send(session.redirectUrl, { action: 'pay_as', amount, ...fields })).status).toBe(303);
  return { ...session, asked };
}

const plain = async (sessionId: string) => summaryOf(await party.ask(sessionId));

describe('a session', () => {
  it('is made once for each key, and is open until it expires', async () => {
    const asked = order();
    const made = await party.createSession(asked);
    expect(await party.createSession(asked)).toEqual(made);
    expect(made.redirectUrl).toMatch(/\/sandbox\/providers\/checkout\/pages\/[\w-]{43}$/);
    expect(made.redirectUrl).not.toContain(made.sessionId);
    const open = { status: 'open', risk: 'normal', refunds: [], disputes: [] };
    expect(await plain(made.sessionId)).toEqual(open);
    clock += 60_000;
    expect(await plain(made.sessionId)).toEqual({ ...open, status: 'expired' });
  });

  it('is unknown under another id, and unreadable without our credential', async () => {
    expect(await party.ask('cks_unknown')).toBe('unknown_to_party');
    const stranger = createHttpCheckout({
      baseUrl: api.url + partyPath('checkout'),
      secret: Buffer.alloc(32),
    });
    await expect(stranger.createSession(order())).rejects.toThrow(PartyAway);
    expect((await fetch(`${api.url}${partyPath('checkout')}/sessions/cks_1`)).status).toBe(401);
  });

  it('is refused, unreachable, or made without an answer, by its amount', async () => {
    const refused = party.createSession(order({ amount: new Decimal('700.12') }));
    await expect(refused).rejects.toEqual(new PartyRefused('method_unavailable'));

    const away = order({ amount: new Decimal('700.13') });
    await expect(party.createSession(away)).rejects.toThrow(PartyAway);
    await expect(party.createSession(away)).rejects.not.toThrow(OutcomeUnknown);
    clock += 30_000;
    expect((await party.createSession(away)).sessionId).toMatch(/^cks_/);

    const lost = order({ amount: new Decimal('700.14') });
    await expect(party.createSession(lost)).rejects.toThrow(OutcomeUnknown);
    const [row] = await api.database.query<{ id: string }>('select id from sandbox_orders where key = $1', [
      lost.key,
    ]);
    expect((await party.createSession(lost)).sessionId).toBe(row?.id);
  });
});

describe('a payment', () => {
  it('is reported by a signed callback, and settles on time', async () => {
    const { sessionId, asked } = await paid({}, { settles: '20' });
    const path = new URL(asked.callbackUrl).pathname;
    await until(() => shop.at(path).length === 1);
    const told = shop.at(path)[0] as Received;
    expect(party.verify(told.raw, told.headers)).toEqual({
      externalId: told.body['id' as never],
      ref: sessionId,
      sessionId,
    });
    expect(party.verify(Buffer.concat([told.raw, Buffer.from(' ')]), told.headers)).toBeUndefined();
    const money = { amount: '50', currency: 'EUR' };
    expect(await plain(sessionId)).toMatchObject({ status: 'paid', paid: money });
    clock += 20_000;
    expect(await plain(sessionId)).toMatchObject({ status: 'settled', paid: money });
    clock += 281_000;
    expect(party.verify(told.raw, told.headers)).toBeUndefined();
  });

  it('is reported again when the callback fails', async () => {
    const asked = order();
    const path = new URL(asked.callbackUrl).pathname;
    shop.answer(path, 500);
    const { redirectUrl } = await party.createSession(asked);
    await send(redirectUrl, { action: 'pay' });
    await until(() => shop.at(path).length === 1);
    shop.answer(path, 200);
    await until(() => {
      clock += 1_000;
      return shop.at(path).length === 2;
    });
    expect(shop.at(path)[0]?.raw).toEqual(shop.at(path)[1]?.raw);
  });

  it.each([
    [{ action: 'pay' }, { status: 'settled', paid: { amount: '50', currency: 'EUR' }, risk: 'normal' }],
    [
      { action: 'pay_as', amount: '49,99', settles: 'never', risk: 'review' },
      { status: 'paid', paid: { amount: '49.99', currency: 'EUR' }, risk: 'review' },
    ],
    [{ action: 'cancel' }, { status: 'cancelled' }],
    [
      { action: 'fail', failure: 'expired_card' },
      { status: 'failed', failureCode: 'expired_card' },
    ],
    [{ action: 'settle' }, { status: 'open' }],
    [{ action: 'toString' }, { status: 'open' }],
  ])('follows the action of the payer on the page: %j', async (fields, state) => {
    const { sessionId, redirectUrl } = await party.createSession(order());
    await send(redirectUrl, fields);
    expect(await plain(sessionId)).toMatchObject(state);
  });

  it('redirects to the shop, and is made once when the form is sent several times', async () => {
    const { sessionId, redirectUrl } = await party.createSession(order());
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(redirectUrl, { action: 'pay' })));
    expect(answers.map(({ status, location }) => [status, location])).toEqual(
      Array.from({ length: 5 }, () => [303, 'https://shop.example/back?order=7']),
    );
    expect(await plain(sessionId)).toMatchObject({ paid: { amount: '50' } });
  });

  it('can arrive late after expiry, cancellation and failure', async () => {
    for (const before of [undefined, { action: 'cancel' }, { action: 'fail' }]) {
      const { sessionId, redirectUrl } = await party.createSession(order());
      if (before) await send(redirectUrl, before);
      else clock += 60_000;
      await send(redirectUrl, { action: 'pay' });
      expect((await plain(sessionId)).paid).toBeUndefined();
      await send(redirectUrl, { action: 'pay_as', amount: '50' });
      expect(await plain(sessionId)).toMatchObject({ status: 'settled', paid: { amount: '50' } });
    }
  });

  it('can be settled, reversed and repeated on the page', async () => {
    const later = await paid({}, { settles: 'never' });
    expect(await plain(later.sessionId)).toMatchObject({ status: 'paid' });
    await send(later.redirectUrl, { action: 'settle' });
    await send(later.redirectUrl, { action: 'bounce' });
    await send(later.redirectUrl, { action: 'pay_again', amount: '7' });
    expect(await plain(later.sessionId)).toMatchObject({ status: 'settled', paid: { amount: '57' } });

    const bounced = await paid({}, { settles: '86400' });
    await send(bounced.redirectUrl, { action: 'bounce' });
    const state = await plain(bounced.sessionId);
    expect(state).toMatchObject({ status: 'failed', failureCode: 'payment_reversed' });
    expect(state.paid).toBeUndefined();
  });

  it.each(['', '0', '-1', '1.001', '1e3', 'abc'])('is refused with the amount %j', async (amount) => {
    const { sessionId, redirectUrl } = await party.createSession(order());
    const answer = await send(redirectUrl, { action: 'pay_as', amount });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('role="alert"');
    expect(await plain(sessionId)).toMatchObject({ status: 'open' });
  });

  it.each([
    ['700.01', { status: 'settled', paid: { amount: '700.01', currency: 'EUR' } }],
    ['700.02', { status: 'paid' }],
    ['700.04', { status: 'settled', risk: 'review' }],
    ['700.05', { status: 'settled', paid: { amount: '690.05', currency: 'EUR' } }],
    ['700.06', { status: 'failed', failureCode: 'card_declined' }],
    ['700.11', { status: 'open' }],
    ['700.19', { status: 'cancelled' }],
    ['700.20', { status: 'open' }],
  ])('happens automatically at the amount %s', async (amount, state) => {
    const { sessionId } = await party.createSession(order({ amount: new Decimal(amount) }));
    expect(await plain(sessionId)).toMatchObject(state);
  });

  it('expires sooner than ordered at 700.20', async () => {
    const { sessionId } = await party.createSession(order({ amount: new Decimal('700.20') }));
    clock += 19_000;
    expect(await plain(sessionId)).toMatchObject({ status: 'open' });
    clock += 1_000;
    expect(await plain(sessionId)).toMatchObject({ status: 'expired' });
  });

  it('happens automatically after the session has expired', async () => {
    const { sessionId } = await party.createSession(order({ amount: new Decimal('700.11') }));
    clock += 60_000;
    expect(await plain(sessionId)).toMatchObject({ status: 'expired' });
    clock += 30_000;
    expect(await plain(sessionId)).toMatchObject({ status: 'settled', paid: { amount: '700.11' } });
  });
});

describe('a refund', () => {
  const refund = (sessionId: string, key: string, amount: string, currency = 'EUR') =>
    party.refund({ key, sessionId, amount: new Decimal(amount), currency });

  it('is made once for each key, and never exceeds the payment', async () => {
    const { sessionId } = await paid();
    const first = await refund(sessionId, 'r1', '30');
    expect(first).toMatchObject({ status: 'succeeded' });
    expect(await refund(sessionId, 'r1', '30')).toEqual(first);
    await expect(refund(sessionId, 'r2', '20.01')).rejects.toMatchObject({ code: 'amount_too_large' });
    await expect(refund(sessionId, 'r3', '1', 'USD')).rejects.toMatchObject({ code: 'wrong_currency' });
    await refund(sessionId, 'r4', '20');
    const { refunds } = await plain(sessionId);
    expect(refunds.map(({ amount, status }: any) => [amount, status])).toEqual([
      ['30', 'succeeded'],
      ['20', 'succeeded'],
    ]);
  });

  it('is refused before the payment and for an unknown session', async () => {
    const { sessionId } = await party.createSession(order());
    await expect(refund(sessionId, 'r5', '1')).rejects.toMatchObject({ code: 'not_paid' });
    // An unknown session is no final refusal, because our address may be wrong.
    await expect(refund('cks_unknown', 'r6', '1')).rejects.toThrow(PartyAway);
  });

  it('is slow or fails by the amount, and can be repeated after a failure', async () => {
    const slow = await party.createSession(order({ amount: new Decimal('700.09') }));
    expect(await refund(slow.sessionId, 'r7', '10')).toMatchObject({ status: 'pending' });
    clock += 20_000;
    expect((await plain(slow.sessionId)).refunds).toMatchObject([{ amount: '10', status: 'succeeded' }]);
    const failing = await party.createSession(order({ amount: new Decimal('700.1') }));
    expect(await refund(failing.sessionId, 'r8', '700.10')).toMatchObject({ status: 'failed' });
    expect(await refund(failing.sessionId, 'r9', '700.10')).toMatchObject({ status: 'failed' });
  });

  it('can be made by the party without an order', async () => {
    const { sessionId, redirectUrl } = await paid();
    expect((await send(redirectUrl, { action: 'refund', amount: '50.01' })).status).toBe(400);
    expect((await send(redirectUrl, { action: 'refund', amount: '5' })).location).toBe(redirectUrl);
    expect((await plain(sessionId)).refunds).toMatchObject([{ amount: '5', status: 'succeeded' }]);
  });
});

describe('a dispute', () => {
  it('is opened and decided on the page', async () => {
    for (const outcome of ['won', 'lost']) {
      const { sessionId, redirectUrl } = await paid();
      await send(redirectUrl, { action: 'dispute', amount: '50' });
      expect((await plain(sessionId)).disputes).toMatchObject([{ amount: '50', status: 'open' }]);
      await send(redirectUrl, { action: `dispute_${outcome}` });
      await send(redirectUrl, { action: `dispute_${outcome === 'won' ? 'lost' : 'won'}` });
      expect((await plain(sessionId)).disputes).toMatchObject([{ amount: '50', status: outcome }]);
    }
  });

  it('opens automatically by the amount, and is reported', async () => {
    const { sessionId } = await party.createSession(order({ amount: new Decimal('700.08') }));
    expect((await plain(sessionId)).disputes).toEqual([]);
    clock += 5_000;
    expect((await plain(sessionId)).disputes).toMatchObject([{ amount: '700.08', status: 'open' }]);
    clock += 5_000;
    expect((await plain(sessionId)).disputes).toMatchObject([{ amount: '700.08', status: 'won' }]);
  });
});

describe('the page', () => {
  it('runs no script but its own for the local time, loads nothing, and escapes every text', async () => {
    const merchant = `<script>alert(1)</script>"'&`;
    const { redirectUrl } = await party.createSession(order({ merchant }));
    const response = await fetch(redirectUrl);
    const text = await response.text();
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; form-action 'self' https:\/\/shop\.example; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/\b(src|onclick|onload)=|stripe|adyen|paypal/i);
  });

  it('is served only under its own address', async () => {
    const base = `${api.url}${partyPath('checkout')}/pages/`;
    expect((await fetch(base + 'A'.repeat(43))).status).toBe(404);
    expect((await fetch(`${base}%00`)).status).toBe(404);
    const { redirectUrl } = await party.createSession(order());
    expect((await fetch(redirectUrl, { method: 'DELETE' })).status).toBe(405);
  });

  it('refuses a body larger than a form', async () => {
    const { sessionId, redirectUrl } = await party.createSession(order());
    const large = { action: 'pay', more: 'x'.repeat(20_000) };
    expect((await send(redirectUrl, large)).status).toBe(400);
    expect(await plain(sessionId)).toMatchObject({ status: 'open' });
  });

  it('is not served in a live installation', async () => {
    const live = await testApi({ mode: 'live', parties: api.services.parties });
    const { redirectUrl } = await party.createSession(order());
    const { pathname } = new URL(redirectUrl);
    expect((await fetch(live.url + pathname)).status).toBe(401);
    await live.close();
  });

  it('does not let a return address widen its content security policy', async () => {
    const { redirectUrl } = await party.createSession(order({ returnUrl: 'https://a;script-src/x' }));
    const policy = (await fetch(redirectUrl)).headers.get('content-security-policy');
    expect(policy).toMatch(/; form-action 'self'; base-uri/);
  });
});

describe('the adapter', () => {
  let server: Server;
  let reply: { status: number; body: string } | 'break' | 'silent';
  let adapter: CheckoutParty;
  let impatient: CheckoutParty;
  const secret = () => partySecret(api.services.keyring, 'checkout');
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (reply === 'break') return void request.socket.destroy();
      if (reply === 'silent') return;
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    adapter = createHttpCheckout({ baseUrl, secret: secret() });
    impatient = createHttpCheckout({ baseUrl, secret: secret(), timeoutMs: 300 });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const word = (code: string) => JSON.stringify({ code, message: code });

  it.each([
    [{ status: 422, body: word('no') }, PartyRefused],
    [{ status: 404, body: '<html>' }, OutcomeUnknown],
    [{ status: 401, body: word('unauthorized') }, PartyAway],
    [{ status: 429, body: '' }, PartyAway],
    [{ status: 503, body: word('unavailable') }, PartyAway],
    [{ status: 503, body: '' }, OutcomeUnknown],
    [{ status: 500, body: word('oops') }, OutcomeUnknown],
    [{ status: 201, body: '{"sessionId":' }, OutcomeUnknown],
    [{ status: 201, body: '{"sessionId":7}' }, UnreadableAnswer],
    ['break' as const, OutcomeUnknown],
    ['silent' as const, OutcomeUnknown],
  ])('interprets the answer %j', async (given, kind) => {
    reply = given;
    const asking = given === 'silent' ? impatient : adapter;
    const error: Error = await asking.createSession(order()).then(
      () => new Error('it was made'),
      (thrown: Error) => thrown,
    );
    expect(error.constructor).toBe(kind);
  });

  it('reports that nothing was done when the connection is refused', async () => {
    const nobody = createHttpCheckout({
      baseUrl: `http://127.0.0.1:${await ownPort()}`,
      secret: secret(),
    });
    const error = await nobody.createSession(order()).catch((thrown: Error) => thrown);
    expect((error as Error).constructor).toBe(PartyAway);
  });
});
