import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Json = Record<string, any>;

/** A request to Stripe's API, with its fields as Stripe reads them: `metadata[key]` is a field of `metadata`. */
export interface StripeRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  key: string | undefined;
  fields: Json;
}

/** Undefined breaks the connection. */
export type StripeAnswer = { status: number; body: unknown } | undefined;

/** Serves Stripe's API by a function, and stores the requests. */
export async function serveStripe(answer: (request: StripeRequest) => StripeAnswer) {
  const requests: StripeRequest[] = [];
  const server: Server = createServer((incoming, response) => {
    void (async () => {
      const body = await text(incoming);
      const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
      const request: StripeRequest = {
        method: incoming.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        key: incoming.headers['idempotency-key'] as string | undefined,
        fields: nested(new URLSearchParams(body)),
      };
      requests.push(request);
      const given = answer(request);
      if (!given) return void incoming.socket.destroy();
      const sent = typeof given.body === 'string' ? given.body : JSON.stringify(given.body);
      response.writeHead(given.status, { 'content-type': 'application/json' }).end(sent);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    server: { host: '127.0.0.1', port, protocol: 'http' as const },
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

function nested(fields: URLSearchParams): Json {
  const made: Json = {};
  for (const [name, value] of fields) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '');
    let at = made;
    for (const part of path.slice(0, -1)) at = at[part] ??= {};
    at[path.at(-1) ?? ''] = value;
  }
  return made;
}
