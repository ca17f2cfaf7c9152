import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A fault of a request. `before`: the connection breaks before the API has it. `after`: the connection breaks after its
 * effect. `hangs`: no answer comes. An object replaces the answer of the API.
 */
export type Fault =
  | 'before'
  | 'after'
  | 'hangs'
  | { status: number; headers?: Record<string, string>; body?: object };

export interface FaultyProxy {
  url: string;
  /** Faults of the next requests, in order. */
  faults: Fault[];
  /** Every request so far. */
  seen: { url: string; headers: IncomingHttpHeaders }[];
  close(): Promise<void>;
}

/** Starts a proxy between a client and the API, which fails as networks and gateways do. */
export async function faultyProxy(target: () => string): Promise<FaultyProxy> {
  const faults: Fault[] = [];
  const seen: FaultyProxy['seen'] = [];
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', headers, method = 'GET' } = request;
    const fault = faults.shift();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    seen.push({ url, headers });
    if (fault === 'hangs') return;
    if (fault === 'before') return void request.socket.destroy();
    if (typeof fault === 'object') {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      return void response.end(JSON.stringify(fault.body ?? {}));
    }
    const { host: _host, connection: _connection, 'content-length': _length, ...passed } = headers;
    const answer = await fetch(target() + url, {
      method,
      headers: passed as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (fault === 'after') return void request.socket.destroy();
    const told = [...answer.headers].filter(
      ([name]) => !/^(content-encoding|content-length|transfer-)/.test(name),
    );
    response.writeHead(answer.status, Object.fromEntries(told)).end(bytes);
  }
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
