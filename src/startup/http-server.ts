import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../kernel/config/config';
import type { ReadinessGate } from '../kernel/readiness';
import { type AddressList, holderOf, isListed } from '../kernel/security/address-lists';
import { StartupError } from '../kernel/startup-error';

/**
 * Milliseconds, and bytes for the size. A slow head or body is cut off. A file of 10 MiB must fit into the request
 * time-out on a slow line.
 */
const LIMITS = {
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  /** Longer than the idle time of usual proxies, so that the proxy closes the connection. */
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
};
const MAX_CONNECTIONS = 10_000;
/** Limit of one IPv4 address, or one /64 of IPv6. Pools of a client have some dozens. */
const MAX_CONNECTIONS_OF_ADDRESS = 1_000;
/** Without a byte in either direction. Ends callers that read no answer. */
const SILENCE_MS = 120_000;

export interface ApiServerOptions {
  /** Proxies whose connections are not counted by address. Default: none. */
  trustedProxies?: AddressList;
  maxConnectionsOfAddress?: number;
  /** For tests, which wait for no minutes. */
  limits?: Partial<typeof LIMITS>;
}

/** Servers that end a connection with its next answer. */
const reconnecting = new WeakSet<Server>();

/** Creates a server that slow clients cannot hold up, and that answers malformed HTTP in the error format. */
export function createApiServer(
  handler: RequestListener,
  {
    trustedProxies = [],
    maxConnectionsOfAddress = MAX_CONNECTIONS_OF_ADDRESS,
    limits = {},
  }: ApiServerOptions = {},
): Server {
  // Checked when the head is written, so that it also applies to a request in flight and costs ordinary requests
  // nothing.
  class Answer extends ServerResponse {
    override writeHead(...given: unknown[]): this {
      if (reconnecting.has(server)) this.setHeader('connection', 'close');
      return super.writeHead(...(given as Parameters<ServerResponse['writeHead']>));
    }
  }
  const server: Server = createServer(
    { ...LIMITS, ...limits, keepAlive: true, noDelay: true, ServerResponse: Answer },
    handler,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = SILENCE_MS;
  server.on('connection', boundConnections(maxConnectionsOfAddress, trustedProxies));
  server.on('clientError', refuseMalformed);
  return server;
}

/** Refuses further connections of an address that has its share, so that no address takes those of all others. */
function boundConnections(most: number, trusted: AddressList): (socket: Socket) => void {
  const open = new Map<string, number>();
  return function bound(socket) {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isListed(trusted, remoteAddress)) return;
    const holder = holderOf(remoteAddress);
    const count = open.get(holder) ?? 0;
    if (count >= most) {
      refuse(socket, '429 Too Many Requests', 'rate_limited', 'Too many connections.', ['retry-after: 1']);
      return socket.destroySoon();
    }
    open.set(holder, count + 1);
    socket.once('close', () => {
      const left = (open.get(holder) ?? 1) - 1;
      if (left === 0) open.delete(holder);
      else open.set(holder, left);
    });
  };
}

const REFUSALS: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['400 Bad Request', 'The headers may have at most 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = REFUSALS[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request is not well-formed HTTP.',
  ];
  refuse(socket, status, 'invalid_request', message);
}

/** Answers without a request, and ends the connection. */
function refuse(
  socket: Duplex,
  status: string,
  code: string,
  message: string,
  headers: readonly string[] = [],
): void {
  const requestId = randomUUID();
  const body = JSON.stringify({ code, message, requestId });
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'x-content-type-options: nosniff',
    'connection: close',
    ...headers,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * @param what name in the message: `PORT`
 * @returns the port, also if any was wanted (0)
 * @throws StartupError when the port is in use or not allowed
 */
export function listen(server: Server, host: string, port: number, what: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(portError(error, host, port, what));
    server.once('error', failed);
    server.listen({ host, port }, () => {
      server.off('error', failed);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** A host to call, because clients cannot call an address that means every interface. */
export const reachable = (host: string): string => (['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host);

/** Checked before anything slow is started. @throws StartupError as {@link listen} does */
export async function assertPortFree(host: string, port: number, what: string): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  await listen(server, host, port, what);
  await new Promise((resolve) => server.close(resolve));
}

function portError(error: NodeJS.ErrnoException, host: string, port: number, what: string): Error {
  const hostSetting = what.replace('PORT', 'HOST');
  const messages: Record<string, string> = {
    EADDRINUSE: `${what}: another program listens on ${host}:${port}. Stop it, or choose another port: ${what}=${port + 1}`,
    EACCES: `${what}: this user may not listen on port ${port}. Choose one above 1023.`,
    EADDRNOTAVAIL: `${hostSetting}: ${host} is not an address of this machine.`,
    ENOTFOUND: `${hostSetting}: ${host} is not known.`,
  };
  const message = messages[error.code ?? ''];
  return message === undefined ? error : new StartupError(message);
}

/**
 * Closes a server behind a load balancer. First it reports not ready but keeps serving, because the balancer needs time
 * to notice. Each answer ends its connection meanwhile, so that only idle connections are left at the close.
 */
export async function drainServer(
  server: Server,
  readiness: Pick<ReadinessGate, 'end'>,
  { drainSeconds, shutdownSeconds }: Pick<Config, 'drainSeconds' | 'shutdownSeconds'>,
): Promise<void> {
  readiness.end();
  askToReconnect(server);
  await sleep(drainSeconds * 1000);
  await closeServer(server, shutdownSeconds);
}

/**
 * Ends each connection of a {@link createApiServer} with its next answer (`connection: close`). The client opens a new
 * one.
 */
export function askToReconnect(server: Server): void {
  reconnecting.add(server);
}

/**
 * Stops accepting requests and waits for those in flight. Requests without an answer after that time are cut off.
 * @param seconds for the requests in flight
 */
export async function closeServer(server: Server, seconds: number): Promise<void> {
  askToReconnect(server); // otherwise a kept connection would bring one request after another
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  server.closeIdleConnections();
  const late = new AbortController();
  await Promise.race([
    closed,
    sleep(seconds * 1000, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
  clearInterval(sweep);
  server.closeAllConnections();
  await closed;
}
