import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../kernel/config';
import type { ReadinessGate } from '../kernel/readiness';
import { StartupError } from '../kernel/startup-error';

/** Milliseconds, but for the size. A file of 10 MiB must fit the request time-out on a slow line. */
const LIMITS = {
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  /** Longer than the idle time of usual proxies, so that it is they who close. */
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
};
const MAX_REQUESTS_WAITING = 10_000;

/** Servers whose every answer from now on ends its connection. */
const reconnecting = new WeakSet<Server>();

/** A server whose clients cannot hold it by sending slowly, and who hear of malformed HTTP in the error shape. */
export function createApiServer(handler: RequestListener): Server {
  // Asked when the head is written, so that a request in flight is asked too and an ordinary request costs nothing.
  class Answer extends ServerResponse {
    override writeHead(...given: unknown[]): this {
      if (reconnecting.has(server)) this.setHeader('connection', 'close');
      return super.writeHead(...(given as Parameters<ServerResponse['writeHead']>));
    }
  }
  const server: Server = createServer(
    { ...LIMITS, keepAlive: true, noDelay: true, ServerResponse: Answer },
    handler,
  );
  server.maxConnections = MAX_REQUESTS_WAITING;
  server.on('clientError', refuseMalformed);
  return server;
}

const REFUSALS: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['400 Bad Request', 'The headers may have at most 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = REFUSALS[error.code ?? ''] ?? [
    '400 Bad Request',
    'This is not well-formed HTTP.',
  ];
  const requestId = randomUUID();
  const body = JSON.stringify({ code: 'invalid_request', message, requestId });
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * @param what named in the message: `PORT`
 * @returns the port, also when any was wanted (0)
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

/** An address that listens on every interface is no place to call. */
export const reachable = (host: string): string => (['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host);

/** Asked before anything slow is started. @throws StartupError as {@link listen} does */
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
 * Closes a server that a balancer sends requests to. The server is not ready first and serves on, because the balancer needs time to
 * notice. Meanwhile each answer ends its connection, so that only unused connections are left when the server closes.
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

/** Ends each kept connection of a {@link createApiServer} with its next answer (`connection: close`). The client opens another one. */
export function askToReconnect(server: Server): void {
  reconnecting.add(server);
}

/**
 * Takes no more requests and waits for those in flight; what is not answered when the time is over is cut off.
 * @param seconds for the requests in flight
 */
export async function closeServer(server: Server, seconds: number): Promise<void> {
  askToReconnect(server); // else a kept connection would bring one request after another
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
