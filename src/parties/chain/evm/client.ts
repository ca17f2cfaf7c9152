import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { createResolver, isAllowedAddress } from '../../../kernel/security/allowed-addresses';
import { guardedConnector } from '../../../kernel/security/guarded-connector';
import { BadStatus, Limited, NodeAway, TimedOut, TooLong } from './faults';
import { restMsOf } from './limits';

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
 * JSON-RPC over HTTP. Follows no redirect and allows any port, unlike `fetch`.
 * @param timeoutMs for the whole answer
 */
export function createClient(text: string, timeoutMs: number): Client {
  const target = targetOf(text);
  if (!target) return () => Promise.reject(new NodeAway(false));
  const { url, headers } = target;
  const dispatcher = agentOf(url);
  let last = 0;
  return async (body) => {
    const asked = Array.isArray(body)
      ? body.map((each) => ({ jsonrpc: '2.0', ...each }))
      : { jsonrpc: '2.0', id: ++last, ...body };
    try {
      const answer = await request(url, {
        method: 'POST',
        headers,
        body: JSON.stringify(asked),
        signal: AbortSignal.timeout(timeoutMs),
        dispatcher,
      });
      const said = await answer.body.text();
      const { statusCode } = answer;
      if (statusCode >= 200 && statusCode <= 299) return JSON.parse(said) as unknown;
      if (statusCode === 429) throw new Limited(restMsOf(answer.headers['retry-after'], new Date()));
      const refusal = refusalIn(said);
      if (refusal === undefined) throw new BadStatus(statusCode);
      return refusal;
    } catch (error) {
      throw awayOf(error);
    }
  };
}

const refused = z.object({ error: z.object({ code: z.number(), message: z.string() }) });

/** A refusal by JSON-RPC counts with any HTTP status. */
function refusalIn(said: string): unknown {
  try {
    return refused.safeParse(JSON.parse(said)).data;
  } catch {
    return undefined; // no JSON
  }
}

const CONNECT_MS = 5_000;

const dialling = (allowLoopback: boolean) =>
  new Agent({
    maxResponseSize: MAX_BYTES,
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

/** Drops the error, because it may hold the address and the request. */
function awayOf(error: unknown): NodeAway {
  if (error instanceof NodeAway) return error;
  if (error instanceof Error && error.name === 'TimeoutError') return new TimedOut();
  const codes = codesOf(error);
  if (codes.includes('UND_ERR_RES_EXCEEDED_MAX_SIZE')) return new TooLong();
  return new NodeAway(!codes.some((code) => NOT_CONNECTED.includes(code)));
}

/** The codes of an error and of its causes. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code } = error as { code?: unknown };
  return [...(typeof code === 'string' ? [code] : []), ...codesOf(error.cause)];
}

/** Moves credentials of the address into a header (RFC 7617). Undefined where the text is no usable address. */
function targetOf(text: string): { url: string; headers: Record<string, string> } | undefined {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
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
