import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStripeCheckout } from '../../../src/parties/checkout/stripe/checkout';

export const SECRET = 'whsec_test0123456789';
export const NOW = new Date('2026-03-01T12:00:00Z');
const now = () => NOW;

export interface Request {
  method: string;
  path: string;
  query: Record<string, string>;
  key: string | undefined;
  fields: Record<string, string>;
}

/** Makes an answer from a request. Undefined breaks the connection. */
export type Answer = (
  request: Request,
  raw: { body: string; headers: Record<string, string> },
) => Promise<{ status: number; body: string } | undefined>;

/** A server in Stripe's place that stores its requests. */
export async function stripeServer(answer: () => Answer) {
  const requests: Request[] = [];
  const server: Server = createServer((incoming, response) => {
    void (async () => {
      const body = await text(incoming);
      const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
      const request = {
        method: incoming.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        key: incoming.headers['idempotency-key'] as string | undefined,
        fields: Object.fromEntries(new URLSearchParams(body)),
      };
      requests.push(request);
      const headers = { authorization: String(incoming.headers.authorization) };
      const given = await answer()(request, { body, headers });
      if (!given) return void incoming.socket.destroy();
      response.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const adapter = createStripeCheckout({
    secretKey: 'sk_test_123',
    webhookSecret: SECRET,
    server: { host: '127.0.0.1', port, protocol: 'http' },
    now,
  });
  return {
    adapter,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function text(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

export type Json = Record<string, any>;

/** The answers of Stripe's API about an account, by path. */
export function account(given: { session?: Json; refunds?: Json[]; disputes?: Json[]; created?: Json }) {
  const list = (data: Json[] = []) => ({ object: 'list', data, has_more: false, url: '/' });
  const answer: Answer = async ({ method, path }) => {
    const body =
      method === 'POST' && path === '/v1/refunds'
        ? given.created
        : path === '/v1/refunds'
          ? list(given.refunds)
          : path === '/v1/disputes'
            ? list(given.disputes)
            : path === '/v1/checkout/sessions' && method === 'GET'
              ? list(given.session ? [given.session] : [])
              : path.endsWith('/expire')
                ? { ...given.session, status: 'expired' }
                : given.session;
    return { status: 200, body: JSON.stringify(body ?? {}) };
  };
  return answer;
}

export const charge = (given: Json = {}): Json => ({
  id: 'ch_1',
  object: 'charge',
  captured: true,
  amount_captured: 1234,
  currency: 'eur',
  balance_transaction: { id: 'txn_1', status: 'pending' },
  ...given,
});

export const intent = (given: Json = {}): Json => ({
  id: 'pi_1',
  object: 'payment_intent',
  status: 'succeeded',
  latest_charge: charge(),
  review: null,
  ...given,
});

export const session = (given: Json = {}): Json => ({
  id: 'cs_1',
  object: 'checkout.session',
  status: 'complete',
  currency: 'eur',
  url: 'https://pay.example/cs_1',
  metadata: { origin: 'cardwright', expires_at: '1772368200' },
  payment_intent: intent(),
  ...given,
});
