import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { authorizationFor, SIGNATURE_HEADER, signMessage } from '../../src/parties/protocol/signature';

interface Exchange {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

interface Reply {
  status: number;
  body: any;
}

type Forward = (exchange: Exchange) => Promise<Reply>;

/** A fault of a party that is otherwise right. */
export interface Fault {
  /** Replaces answers to requests. Absent: the party itself answers. */
  answer?(exchange: Exchange, forward: Forward): Promise<Reply>;
  /** Replaces callbacks. Undefined: no callback is sent. */
  callback?(body: string): { body: string; secret?: Buffer; at?: Date } | undefined;
}

/** A proxy with one fault between the sandbox's party and its checks. */
export async function faultyParty(baseUrl: string, secret: Buffer, fault: Fault) {
  /** Targets of callbacks, by the path that the party is given instead. */
  const called = new Map<string, string>();
  let own = '';
  const forward: Forward = async ({ method, path, headers, body }) => {
    const answer = await fetch(baseUrl + path, { method, headers, ...(body === '' ? {} : { body }) });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  };

  function redirected(exchange: Exchange): Exchange {
    if (!fault.callback || exchange.method !== 'POST') return exchange;
    const order = parsed(exchange.body);
    if (typeof order?.callbackUrl !== 'string') return exchange;
    const path = `/called/${randomUUID()}`;
    called.set(path, order.callbackUrl);
    return { ...exchange, body: JSON.stringify({ ...order, callbackUrl: own + path }) };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const callback = called.get(request.url ?? '');
    if (callback !== undefined) {
      await callBack(callback, fault.callback?.(body), secret);
      response.writeHead(204).end();
      return;
    }
    const headers = headersOf(request);
    const exchange = { method: request.method ?? '', path: request.url ?? '', headers, body };
    const reply = await (fault.answer ?? ((given, on) => on(given)))(redirected(exchange), forward);
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
  }

  const server = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: own,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const KEPT = ['authorization', 'content-type', 'idempotency-key'];

const headersOf = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(request.headers).filter(([name]) => KEPT.includes(name))) as never;

export const parsed = (text: string): any => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function callBack(
  url: string,
  message: { body: string; secret?: Buffer; at?: Date } | undefined,
  right: Buffer,
): Promise<void> {
  if (!message) return;
  const { body, secret = right, at = new Date() } = message;
  const headers = { [SIGNATURE_HEADER]: signMessage(Buffer.from(body), secret, at) };
  await fetch(url, { method: 'POST', headers, body });
}

/** The exchange with the right token added. */
export const letIn = (exchange: Exchange, secret: Buffer): Exchange => ({
  ...exchange,
  headers: { ...exchange.headers, authorization: authorizationFor(secret) },
});

export const isOrder = ({ method }: Exchange): boolean => method === 'POST';
export const isList = ({ path }: Exchange): boolean => path.startsWith('/changes');
export const isState = ({ method, path }: Exchange): boolean =>
  method === 'GET' && !path.startsWith('/changes');
