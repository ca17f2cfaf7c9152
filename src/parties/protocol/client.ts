import { request } from 'undici';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../process/party-errors';
import { codeOf, type Meaning, meaningOf } from './meanings';
import { authorizationFor } from './signature';
import { textOf } from './text-of';

export interface PartyClientOptions {
  /** May be a function, because the address may be known only once the API listens. */
  baseUrl: string | (() => string);
  /** Shared with the party. */
  secret: Buffer;
  /** Time-out of one request, in milliseconds. */
  timeoutMs?: number;
}

/** Options of an adapter. The clock verifies the time in callbacks' signatures. */
export interface AdapterOptions extends PartyClientOptions {
  now?: () => Date;
}

/**
 * Client of our protocol (docs/parties.md): JSON both ways, with an `idempotency-key` for each change. The table in
 * `meanings.ts` says what an answer means.
 */
export interface PartyClient {
  /**
   * @param key the same for each repeat of the request
   * @throws PartyRefused; PartyAway nothing was done; OutcomeUnknown it may have been done
   */
  post(path: string, body: object, key: string): Promise<unknown>;
  /** @throws PartyRefused only with `not_found`, for an unknown record; PartyAway */
  get(path: string): Promise<unknown>;
}

/** Shorter than any activity's time-out. */
const TIMEOUT_MS = 10_000;

/** Errors of a connection that was never made, so nothing was sent. */
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
      // undici's own request, because the streams of `fetch` cost several times as much. It follows no redirect.
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
      return answerOf(method, statusCode, await textOf(answer));
    } catch (error) {
      throw silenceOf(method, error);
    }
  }

  return {
    post: (path, body, key) => send('POST', path, JSON.stringify(body), key),
    get: (path) => send('GET', path),
  };
}

/** Returns the answer's body, or throws what the answer means. */
function answerOf(method: 'GET' | 'POST', status: number, text: string): unknown {
  const body = parsed(text);
  const meaning = meaningOf(method, { status, body });
  if (meaning.thrown === undefined) return body;
  throw faultOf(meaning, `the party answered ${status}`, codeOf(body));
}

function faultOf({ thrown }: Meaning, what?: string, code?: string): Error {
  if (thrown === 'PartyRefused') return new PartyRefused(code as string); // a refusal always has a code
  return thrown === 'PartyAway' ? new PartyAway(what) : new OutcomeUnknown();
}

const isFault = (error: unknown): error is Error =>
  error instanceof PartyRefused || error instanceof PartyAway;

/** Without an answer, a request that was never sent is not done, and a sent one may be done. */
function silenceOf(method: 'GET' | 'POST', error: unknown): Error {
  if (isFault(error)) return error;
  const { code = '' } = error as { code?: string };
  return faultOf(meaningOf(method, { unsent: NOT_CONNECTED.includes(code) }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
