import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureVersion } from 'node:tls';
import { until } from '../until';
import { type TestCertificate, testCertificate } from './certificate';

/** A received webhook. */
export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  /** The exact bytes of the body. */
  raw: Buffer;
  body: { event: string; data: Record<string, any> };
  at: number;
}

/** Answer of a path: a status or a function. `hang` never answers. */
export type Behaviour =
  | number
  | 'hang'
  | ((request: Received, response: ServerResponse) => void | Promise<void>);

export interface Receiver {
  /** `https://127.0.0.1:port` */
  url: string;
  /** Certificate for the sender's `ca`. */
  ca: string;
  received: Received[];
  /** Webhooks of one path in order of arrival. */
  at(path: string): Received[];
  /** Sets the answer of the path from now on; the default is 204. */
  answer(path: string, behaviour: Behaviour): void;
  /** Highest number of concurrent requests at a path. */
  mostAtOnce(path: string): number;
  /** Waits until the condition holds. @throws Error at the time limit */
  until(condition: () => boolean, timeoutMs?: number): Promise<void>;
  /** Closes every connection, so that hanging requests fail. */
  closeConnections(): void;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  http?: boolean;
  /** Highest TLS version of the server. */
  maxTls?: SecureVersion;
  certificate?: TestCertificate;
}

/** Starts a client's real HTTPS server, which answers 204 unless told otherwise. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { http = false, maxTls, certificate = testCertificate() } = options;
  const received: Received[] = [];
  const behaviours = new Map<string, Behaviour>();
  const underWay = new Map<string, { now: number; most: number }>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const body = JSON.parse(raw.toString('utf8')) as Received['body'];
    const one = { path, headers: request.headers, raw, body, at: performance.now() };
    received.push(one);
    const count = underWay.get(path) ?? { now: 0, most: 0 };
    underWay.set(path, count);
    count.now += 1;
    count.most = Math.max(count.most, count.now);
    response.once('close', () => {
      count.now -= 1;
    });
    const behaviour = behaviours.get(path) ?? 204;
    if (behaviour === 'hang') return;
    if (typeof behaviour === 'number') response.writeHead(behaviour).end();
    else await behaviour(one, response);
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch(() => response.destroy());
  };
  const tls = {
    ...certificate,
    ...(maxTls ? { minVersion: 'TLSv1' as const, maxVersion: maxTls, ciphers: 'ALL:@SECLEVEL=0' } : {}),
  };
  const server = http ? createHttp(listener) : createHttps(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${http ? 'http' : 'https'}://127.0.0.1:${port}`,
    ca: certificate.cert,
    received,
    at: (path) => received.filter((one) => one.path === path),
    answer: (path, behaviour) => behaviours.set(path, behaviour),
    mostAtOnce: (path) => underWay.get(path)?.most ?? 0,
    until,
    closeConnections: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether the webhook was signed with the secret over its unchanged bytes. */
export function isSigned({ headers, raw }: Received, secret: string): boolean {
  const given = Buffer.from(String(headers['x-signature']));
  const right = Buffer.from(createHmac('sha256', secret).update(raw).digest('hex'));
  return given.length === right.length && timingSafeEqual(given, right);
}
