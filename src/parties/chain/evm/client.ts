import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { HttpRequestError } from 'viem';
import { getHttpRpcClient } from 'viem/utils';
import { createResolver, isAllowedAddress } from '../../../kernel/security/allowed-addresses';
import { guardedConnector } from '../../../kernel/security/guarded-connector';
import { NodeAway, TooLong } from './faults';

/** A full block of a busy chain, or its logs. Bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Errors of a connection that never came to be: nothing was sent. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  ...['ENODATA', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT'], // of name servers
  'ADDRESS_REFUSED',
];

export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** @throws NodeAway; an error of JSON-RPC is an answer */
export type Client = (body: RpcCall | (RpcCall & { id: number })[]) => Promise<unknown>;

/**
 * viem's client of JSON-RPC, which its `http` transport stands on; the transport itself takes no array, and asks again.
 * @param timeoutMs of the whole answer: viem's own limit ends where the body begins
 */
export function createClient(text: string, timeoutMs: number): Client {
  const target = targetOf(text);
  if (!target) return () => Promise.reject(new NodeAway(false));
  const { url, headers } = target;
  const client = getHttpRpcClient(url, {
    ...{ fetchFn: post, fetchOptions: { headers }, maxResponseBodySize: MAX_BYTES, timeout: 0 },
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

/** A name may lead elsewhere than when it was configured: the address is judged where it is dialled. */
const publicly = dialling(false);
/** An address that names this machine itself, which only the sandbox takes into a network. */
const locally = dialling(true);

const agentOf = (url: string): Agent => {
  const name = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const isLocal =
    isIP(name) === 0
      ? /(^|\.)localhost$/.test(name)
      : isAllowedAddress(name, 'http:', { allowLoopback: true });
  return isLocal ? locally : publicly;
};

/** Unlike `fetch` it follows no redirect, and asks at any port. The body comes as it is read. */
async function post(url: unknown, init?: RequestInit): Promise<Response> {
  const { headers, body: asked, signal } = init as Posted;
  const { statusCode, body } = await request(url as string, {
    ...{ method: 'POST', headers, body: asked, signal, dispatcher: agentOf(url as string) },
  });
  return new Response(body, { status: statusCode });
}

/** What viem makes of {@link RequestInit}. */
interface Posted {
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

/** viem's errors hold the address and what was asked: nothing of them is kept. */
function awayOf(error: unknown): NodeAway {
  if ((error as Error).name === 'ResponseBodyTooLargeError') return new TooLong();
  if (!(error instanceof HttpRequestError)) return new NodeAway(true); // of time
  if (error.status !== undefined) return new NodeAway(error.status >= 500); // a 4xx has let nothing in
  return new NodeAway(error.walk(isUnconnected) === null);
}

const isUnconnected = (cause: unknown) =>
  NOT_CONNECTED.includes((cause as { code?: string } | null)?.code ?? '');

/** Credentials before the host are sent as HTTP has them (RFC 7617). Nothing: it is no address that could be asked. */
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
