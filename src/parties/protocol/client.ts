import { request } from 'undici';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../process/party-errors';
import { plainCode } from './codes';
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

/**
 * Requests of our own small protocol: JSON both ways, `idempotency-key` on whatever changes something. What an answer
 * means; a `code` is the party's own, for a status alone may come from whatever stands between us:
 *
 * | asked | answered                                                     | which means         | thrown                   |
 * | ----- | ------------------------------------------------------------ | ------------------- | ------------------------ |
 * | GET   | 2xx that can be read                                         | the present state   |                          |
 * | GET   | 404 with the code `not_found`                                | no such record      | PartyRefused `not_found` |
 * | GET   | anything else                                                | nothing is known    | PartyAway                |
 * | POST  | 2xx that can be read                                         | it is done          |                          |
 * | POST  | 400 or 422 with a code, not about the key                    | it will never be    | PartyRefused             |
 * | POST  | 409; a code about the key (`idempotency_…`)                  | it is in progress   | PartyAway                |
 * | POST  | 401, 403, 429; 404, 405 or 503 with a code; no connection    | nothing was done    | PartyAway                |
 * | POST  | anything else: 5xx, no answer, one that cannot be read       | it may be done      | OutcomeUnknown           |
 *
 * So a wrong address or credential is never a refusal: it is ours to set right, and the same order is given again then.
 */
export interface PartyClient {
  /**
   * @param key the same for the same thing, however often it is asked
   * @throws PartyRefused; PartyAway nothing was done, or it is being done; OutcomeUnknown it may have been done
   */
  post(path: string, body: object, key: string): Promise<unknown>;
  /** @throws PartyRefused `not_found` for what it has never heard of, and nothing else; PartyAway */
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
      // Not the global fetch: its streams cost several times as much. It follows no redirect.
      const { statusCode, body: answer } = await request(base() + path, {
        method,
        headers: {
          authorization,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return answerOf(method, statusCode, await answer.text());
    } catch (error) {
      throw faultOf(method, error);
    }
  }

  return {
    post: (path, body, key) => send('POST', path, JSON.stringify(body), key),
    get: (path) => send('GET', path),
  };
}

/** The answer of the table at {@link PartyClient}, or what it throws. */
function answerOf(method: 'GET' | 'POST', status: number, text: string): unknown {
  const body = parsed(text);
  if (status >= 200 && status < 300 && body !== undefined) return body;
  const { code: given } = (body ?? {}) as { code?: unknown };
  throw method === 'GET' ? notRead(status, plainCode(given)) : notDone(status, plainCode(given));
}

function notRead(status: number, code: string | undefined): Error {
  return status === 404 && code === 'not_found' ? new PartyRefused(code) : away(status);
}

const REFUSALS = [400, 422];
/** Ours to set right, or too much at once: nothing was done, whoever answers. */
const NOT_LET_IN = [401, 403, 429];
/** The same where the party itself says so. */
const NOT_TAKEN = [404, 405, 503];

function notDone(status: number, code: string | undefined): Error {
  if (status === 409 || code?.startsWith('idempotency_')) return away(status);
  if (code !== undefined && REFUSALS.includes(status)) return new PartyRefused(code);
  const known = NOT_LET_IN.includes(status) || (code !== undefined && NOT_TAKEN.includes(status));
  return known ? away(status) : new OutcomeUnknown();
}

const away = (status: number): PartyAway => new PartyAway(`the party answered ${status}`);

/** No answer: what was never sent is not done, what was sent may be. */
function faultOf(method: string, error: unknown): Error {
  if (error instanceof PartyRefused || error instanceof PartyAway) return error;
  const { code } = error as { code?: string };
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
