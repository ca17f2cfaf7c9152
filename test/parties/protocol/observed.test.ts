import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PartyCall } from '../../../src/kernel/metrics/observers';
import { createStripeCheckout } from '../../../src/parties/checkout/stripe/checkout';
import { leftOut } from '../../../src/parties/left-out';
import { createHttpPayouts } from '../../../src/parties/payouts/http';
import type { PayoutParty } from '../../../src/parties/payouts/port';
import { observed, observedParties } from '../../../src/parties/protocol/observed';
import { PartyAway } from '../../../src/process/party-errors';

/** A party that gives every request the same answer. */
let answer: { status: number; body: string };
let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

let calls: PartyCall[];
beforeEach(() => {
  calls = [];
});
const observe = (call: PartyCall) => void calls.push(call);
const told = () => calls.map(({ party, operation, outcome }) => [party, operation, outcome]);

it.each([
  [200, '{"changes":[],"next":"1","more":false}', 'ok'],
  [500, '{}', 'away'],
  [200, 'nonsense', 'away'],
])('counts a call with the answer %p %p as %p', async (status, body, outcome) => {
  answer = { status, body };
  const adapter = createHttpPayouts({ baseUrl: `http://127.0.0.1:${port}`, secret: Buffer.from('x') });
  const party = observed('payouts', adapter, observe);
  await party.changes(null).catch(() => undefined);
  expect(told()).toEqual([['payouts', 'changes', outcome]]);
  expect(calls[0]?.seconds).toBeGreaterThan(0);
});

it('passes a left-out party on, and counts its calls as away', async () => {
  const { payouts } = observedParties({ payouts: leftOut<PayoutParty>() }, observe);
  await expect(payouts.ask('k')).rejects.toBeInstanceOf(PartyAway);
  await expect(Promise.resolve(payouts)).resolves.toBe(payouts);
  expect(told()).toEqual([['payouts', 'ask', 'away']]);
});

it('counts a refusal as refused, and an unreadable answer as unknown', async () => {
  const adapter = createHttpPayouts({ baseUrl: `http://127.0.0.1:${port}`, secret: Buffer.from('x') });
  const party = observed('payouts', adapter, observe);
  const order = () =>
    party.order({ key: 'k', amount: { toFixed: () => '1.00' } } as never).catch(() => undefined);
  answer = { status: 422, body: '{"code":"account_closed"}' };
  await order();
  answer = { status: 201, body: '{"of":"another shape"}' };
  await order();
  expect(told()).toEqual([
    ['payouts', 'order', 'refused'],
    ['payouts', 'order', 'unknown'],
  ]);
});

it('counts calls of the Stripe adapter by the same names, and passes its other members on', async () => {
  const adapter = createStripeCheckout({
    secretKey: 'sk_test_x',
    webhookSecret: 'whsec_x',
    server: { host: '127.0.0.1', port, protocol: 'http' },
  });
  const chains = { of: (chain: string) => `a node of ${chain}` };
  const { checkout, rates, chain } = observedParties(
    { checkout: adapter, rates: { rate: 1 }, chain: chains },
    observe,
  );
  answer = { status: 404, body: '{"error":{"type":"invalid_request_error","code":"resource_missing"}}' };
  expect(await checkout.ask('cs_1')).toBe('unknown_to_party');
  answer = { status: 401, body: '{"error":{"type":"invalid_request_error"}}' };
  await expect(checkout.ask('cs_1')).rejects.toThrow();
  expect(checkout.settlesSilently).toBe(true);
  expect(await checkout.verify(Buffer.from(''), {})).toBeUndefined();
  expect(rates).toEqual({ rate: 1 });
  expect(chain.of('local')).toBe('a node of local'); // not a call: its nodes are observed where they are made
  expect(told()).toEqual([
    ['checkout', 'ask', 'ok'],
    ['checkout', 'ask', 'away'],
  ]);
});
