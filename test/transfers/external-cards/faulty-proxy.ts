import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The fault of a request: the request is `dropped`, the answer is `lost`, a proxy answers with an `error`, the party is
 * `unavailable`, or the answer is `slow`.
 */
export type Fault = 'dropped' | 'lost' | 'error' | 'unavailable' | 'slow' | 'none';

export interface FaultyProxy {
  url: string;
  /** Faults of the next requests, in order. */
  faults: Fault[];
  /** Method and path of each received request. */
  requests: string[];
  close(): Promise<void>;
}

/** Starts a proxy between an adapter and the sandbox party, with faults of the network on demand. */
export async function faultyProxy(target: string): Promise<FaultyProxy> {
  const faults: Fault[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    handle(request, response, faults.shift() ?? 'none', target).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    requests,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault,
  target: string,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (fault === 'dropped') return void request.socket.destroy();
  if (fault === 'error') return void response.writeHead(500).end('<html>proxy error</html>');
  if (fault === 'unavailable') return void response.writeHead(503).end('{"code":"unavailable"}');
  if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, 500));
  const answer = await fetch(target + request.url, {
    method: request.method ?? 'GET',
    headers: headersOf(request),
    ...(chunks.length > 0 ? { body: new Uint8Array(Buffer.concat(chunks)) } : {}),
  });
  const body = await answer.text();
  if (fault === 'lost') return void request.socket.destroy();
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    ['authorization', 'content-type', 'idempotency-key', 'accept'].flatMap((name) =>
      typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
    ),
  );
