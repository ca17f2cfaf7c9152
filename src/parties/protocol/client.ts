import { OutcomeUnknown, PartyAway, PartyRefused } from '../../process/party-errors';
import { authorizationFor } from './signature';

export interface PartyClientOptions {
  /** Asked at each call: the address may be known only when the API listens. */
  baseUrl: string | (() => string);
  /** Shared with the party. */
  secret: Buffer;
  /** Of one request, in milliseconds. */
  timeoutMs?: number;
}

/** What an adapter of our protocol is given: its callbacks' signatures go by the clock, too. */
export interface AdapterOptions extends PartyClientOptions {
  now?: () => Date;
}

/** Requests of our own small protocol: JSON both ways, `idempotency-key` on whatever changes something. */
export interface PartyClient {
  /**
   * @param key the same for the same thing, however often it is asked
   * @throws PartyRefused; PartyAway nothing was done; OutcomeUnknown it may have been done
   */
  post(path: string, body: object, key: string): Promise<unknown>;
  /** @throws PartyRefused `not_found` for what it has never heard of; PartyAway */
  get(path: string): Promise<unknown>;
}

/** Shorter than any activity's time-out. */
const TIMEOUT_MS = 10_000;

/** Errors of a connection that never came to be: nothing was sent. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

export function partyClient(options: PartyClientOptions): PartyClient {
  const { secret, timeoutMs = TIMEOUT_MS } = options;
  const base = () => (typeof options.baseUrl === 'string' ? options.baseUrl : options.baseUrl());
  const authorization = authorizationFor(secret);

  async function send(method: 'GET' | 'POST', path: string, body?: string, key?: string): Promise<unknown> {
    try {
      const response = await fetch(base() + path, {
        method,
        headers: {
          authorization,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      return answerOf(method, response.status, await response.text());
    } catch (error) {
      throw faultOf(method, error);
    }
  }

  return {
    post: (path, body, key) => send('POST', path, JSON.stringify(body), key),
    get: (path) => send('GET', path),
  };
}

/**
 * A refusal is the party's own answer, with a code: a status alone may come from whatever stands between us, and decides
 * nothing. Neither does 401 or 403: it is our credential that is wrong then, not the payment.
 */
function answerOf(method: string, status: number, text: string): unknown {
  const body = parsed(text);
  const code = codeOf(body);
  if (status >= 200 && status < 300 && body !== undefined) return body;
  const isRefusal = status >= 400 && status < 500 && ![401, 403, 408, 425, 429].includes(status);
  if (isRefusal && code !== undefined) throw new PartyRefused(code);
  const nothingDone = [401, 403, 429].includes(status) || (status === 503 && code !== undefined);
  throw nothingDone ? new PartyAway(`the party answered ${status}`) : noAnswer(method);
}

/** No answer: what was never sent is not done, what was sent may be. */
function faultOf(method: string, error: unknown): Error {
  if (error instanceof PartyRefused || error instanceof PartyAway) return error;
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  return NOT_CONNECTED.includes(code ?? '') ? new PartyAway() : noAnswer(method);
}

/** What only reads leaves nothing behind. */
const noAnswer = (method: string): Error => (method === 'GET' ? new PartyAway() : new OutcomeUnknown());

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `{ code, message }`. A code is a word: anything longer may hold what must not be kept. */
function codeOf(body: unknown): string | undefined {
  const { code } = (body ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : undefined;
}
