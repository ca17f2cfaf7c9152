import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { authorizationFor } from '../../../src/parties/protocol/signature';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../../src/process/party-errors';

/**
 * A bridge: serves an adapter of a vendor by our protocol, as a service beside the product would. With it the checks of
 * a party run through the adapter.
 */

export interface Bridged {
  method: 'GET' | 'POST';
  path: RegExp;
  /** Schema of the body of a POST. */
  request?: z.ZodType;
  /** @param names the groups of the path */
  answer(given: { names: string[]; body: any; key: string; after: string | null }): Promise<unknown>;
}

interface Answer {
  status: number;
  body: object;
}

const refusal = (status: number, code: string): Answer => ({ status, body: { code } });
const NOT_FOUND = refusal(404, 'not_found');
const MALFORMED = refusal(422, 'malformed_order');

export async function serveBridge(secret: Buffer, routes: readonly Bridged[]) {
  /** Orders by key. `callbackUrl` may differ between two calls of one order. */
  const orders = new Map<string, unknown>();

  async function answerTo(incoming: IncomingMessage): Promise<Answer> {
    if (incoming.headers.authorization !== authorizationFor(secret)) return refusal(401, 'unauthorized');
    const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const route = routes.find(({ method, path }) => method === incoming.method && path.test(url.pathname));
    if (!route) return NOT_FOUND;
    const names = (route.path.exec(url.pathname) ?? []).slice(1).map(decodeURIComponent);
    const after = url.searchParams.get('after');
    if (!route.request) return answered(route.answer({ names, body: undefined, key: '', after }));
    const key = incoming.headers['idempotency-key'];
    const parsed = route.request.safeParse(await bodyOf(incoming));
    if (typeof key !== 'string' || !parsed.success) return MALFORMED;
    const order = { path: url.pathname, body: { ...(parsed.data as object), callbackUrl: undefined } };
    if (orders.has(key) && !isDeepStrictEqual(orders.get(key), order))
      return refusal(409, 'idempotency_mismatch');
    orders.set(key, order);
    return answered(route.answer({ names, body: parsed.data, key, after }));
  }

  const server = createServer((incoming, response) => {
    void answerTo(incoming).then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answered(work: Promise<unknown>): Promise<Answer> {
  try {
    const body = await work;
    return body === 'unknown_to_party' ? NOT_FOUND : { status: 200, body: body as object };
  } catch (error) {
    if (error instanceof PartyRefused) return refusal(422, error.code);
    if (error instanceof OutcomeUnknown) return { status: 502, body: {} };
    return error instanceof PartyAway ? refusal(503, 'unavailable') : { status: 500, body: {} };
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The state of an order, with the key that it was asked by. */
export const withKey = async (key: string, word: Promise<object | 'unknown_to_party'>) => {
  const known = await word;
  return known === 'unknown_to_party' ? known : { key, ...known };
};
