import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { HttpRequestError } from 'viem';
import { getHttpRpcClient } from 'viem/utils';
import { createResolver, isAllowedAddress } from '../../../kernel/security/allowed-addresses';
import { guardedConnector } from '../../../kernel/security/guarded-connector';
import { NodeAway, TooLong } from './faults';

/** Limit of an answer in bytes: a full block of a busy chain, or its logs. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Errors of a connection that was never made, so nothing was sent. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  ...['ENODATA', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT'], // name servers
  'ADDRESS_REFUSED',
];

export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** @throws NodeAway; a JSON-RPC error is returned as an answer */
export type Client = (body: RpcCall | (RpcCall & { id: number })[]) => Promise<unknown>;

/**
 * JSON-RPC over viem's inner HTTP client. viem's `http` transport takes no arrays and retries by itself.
 * @param timeoutMs for the whole answer, because viem's own time-out ends where the body begins
 */
export function createClient(text: string, timeoutMs: number): Client {
  const target = targetOf(text);
  if (!target) return () => Promise.reject(new NodeAway(false));
  const { url, headers } = target;
  const client = getHttpRpcClient(url, {
    fetchFn: post,
    fetchOptions: { headers },
    maxResponseBodySize: MAX_BYTES,
    timeout: 0,
  });
  return async (body) => {
    try {
      return await client.request({ body, fetchOptions: { signal: AbortSignal.timeout(timeoutMs) } });
    } catch (error) {
      throw awayOf(error);
    }
  };
}

const CONNECT_MS = 5_000;

const dialling = (allowLoopback: boolean) =>
  new Agent({
    connect: guardedConnector({ allowLoopback, resolve: createResolver(), timeoutMs: CONNECT_MS }),
  });

/** Judges an address when it is dialled, because a name may lead elsewhere than at its configuration. */
const publicly = dialling(false);
/** For addresses of this machine, which only a sandbox network accepts. */
const locally = dialling(true);

const agentOf = (url: string): Agent => {
  const name = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const isLocal =
    isIP(name) === 0
      ? /(^|\.)localhost$/.test(name)
      : isAllowedAddress(name, 'http:', { allowLoopback: true });
  return isLocal ? locally : publicly;
};

/** Follows no redirect and allows any port, unlike `fetch`. The body is streamed. */
async function post(url: unknown, init?: RequestInit): Promise<Response> {
  const { headers, body: asked, signal } = init as Posted;
  const { statusCode, body } = await request(url as string, {
    method: 'POST',
    headers,
    body: asked,
    signal,
    dispatcher: agentOf(url as string),
  });
  return new Response(body, { status: statusCode });
}

/** The part of {@link RequestInit} that viem sets. */
interface Posted {
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

/** Drops viem's error, because it holds the address and the request. */
function awayOf(error: unknown): NodeAway {
  if ((error as Error).name === 'ResponseBodyTooLargeError') return new TooLong();
  if (!(error instanceof HttpRequestError)) return new NodeAway(true); // a time-out
  if (error.status !== undefined) return new NodeAway(error.status >= 500); // a 4xx did nothing
  return new NodeAway(error.walk(isUnconnected) === null);
}

const isUnconnected = (cause: unknown) =>
  NOT_CONNECTED.includes((cause as { code?: string } | null)?.code ?? '');

/** Moves credentials of the address into a header (RFC 7617). Undefined where the text is no usable address. */
function targetOf(text: string): { url: string; headers: Record<string, string> } | undefined {
  const headers = { accept: 'application/json' };
  try {
    const url = new URL(text);
    const { username, password } = url;
    url.username = '';
    url.password = '';
    if (!username && !password) return { url: url.href, headers };
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    return { url: url.href, headers: { ...headers, authorization } };
  } catch {
    return undefined; // the error would hold the text
  }
}
