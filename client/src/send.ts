import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answer';
import { CardwrightError, NoAnswer } from './errors';

/**
 * Sends requests. A request is repeated under one idempotency key until its answer is definite, so that it has one effect
 * whatever breaks meanwhile.
 */

export interface Connection {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** Time limit of one attempt, in milliseconds. Default: 30,000. A `wait` is added. */
  timeoutMs?: number;
  /** Time limit of all attempts of a request, in milliseconds. Default: 60,000. */
  patienceMs?: number;
  /** Default: the `fetch` of the platform. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Settings of one request. */
export interface Sending {
  /** Idempotency key of a write. Default: a new UUID. Give one that you have stored when you repeat after a crash. */
  key?: string;
  /** `Prefer: wait`: seconds that the answer may wait until the record is settled, at most 30. */
  wait?: number;
  /** Ends the attempts. */
  signal?: AbortSignal;
  /** Time limit of one attempt, in milliseconds. */
  timeoutMs?: number;
  /** Time limit of all attempts, in milliseconds. 0 makes one attempt. */
  patienceMs?: number;
}

export interface Request extends Sending {
  /** A value of undefined is left out. A Date is sent as ISO 8601. */
  query?: object | undefined;
  /** JSON, a form, or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** @throws CardwrightError when the API refuses, NoAnswer when no answer came in time */
export type Send = <Body = unknown>(method: string, path: string, request?: Request) => Promise<Answer<Body>>;

const TIMEOUT_MS = 30_000;
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A later attempt with the same key may succeed. Gateways in front of the API answer 502 and 504. */
const REPEATED = [429, 500, 502, 503, 504];

export function createSend(connection: Connection): Send {
  const { patienceMs: patience = PATIENCE_MS } = connection;

  return async <Body>(method: string, path: string, request: Request = {}) => {
    const key = method === 'GET' ? undefined : (request.key ?? randomUUID());
    const deadline = performance.now() + (request.patienceMs ?? patience);
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await attemptOnce(connection, method, path, { ...request, ...(key && { key }) });
      request.signal?.throwIfAborted();
      if ('answer' in outcome && outcome.answer.status < 400) return outcome.answer as Answer<Body>;
      const pause = pauseAfter(outcome, attempt);
      if (pause === undefined || performance.now() + pause > deadline)
        throw 'answer' in outcome
          ? new CardwrightError(`${method} ${path}`, key, outcome.answer)
          : new NoAnswer(`${method} ${path}`, key, outcome.fault);
      await sleep(pause, undefined, request.signal && { signal: request.signal });
    }
  };
}

type Outcome = { answer: Answer } | { fault: unknown };

async function attemptOnce(
  connection: Connection,
  method: string,
  path: string,
  request: Request,
): Promise<Outcome> {
  const { query, body, wait = 0, signal } = request;
  const timeLimit = AbortSignal.timeout(
    (request.timeoutMs ?? connection.timeoutMs ?? TIMEOUT_MS) + wait * 1_000,
  );
  try {
    const response = await (connection.fetch ?? fetch)(
      connection.baseUrl.replace(/\/+$/, '') + path + searchOf(query),
      {
        method,
        headers: headersOf(connection, request),
        ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([timeLimit, signal]) : timeLimit,
      },
    );
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { status, headers } = response;
    return { answer: { status, headers, bytes, body: bodyOf(headers, bytes) } };
  } catch (fault) {
    return { fault };
  }
}

const isRaw = (body: unknown): body is FormData | Uint8Array<ArrayBuffer> =>
  body instanceof FormData || body instanceof Uint8Array;

function headersOf({ clientId, clientSecret }: Connection, request: Request): Record<string, string> {
  const { body, key, wait, headers } = request;
  return {
    'x-client-id': clientId,
    'x-client-secret': clientSecret,
    ...(body !== undefined && !isRaw(body) && { 'content-type': 'application/json' }),
    ...(key !== undefined && { 'x-idempotency-key': key }),
    ...(wait !== undefined && { prefer: `wait=${wait}` }),
    ...headers,
  };
}

function searchOf(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, value instanceof Date ? value.toISOString() : String(value));
  return search.size === 0 ? '' : `?${search.toString()}`;
}

/** @throws SyntaxError for broken JSON, which counts as no answer */
function bodyOf(headers: Headers, bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const isJson = headers.get('content-type')?.startsWith('application/json');
  return isJson ? (JSON.parse(new TextDecoder().decode(bytes)) as unknown) : bytes;
}

/** @returns milliseconds until the next attempt; undefined when the outcome is definite */
function pauseAfter(outcome: Outcome, attempt: number): number | undefined {
  // Half of the pause is random, so that clients do not come back together.
  const grown = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
  if ('fault' in outcome) return grown;
  const { status, headers, body } = outcome.answer;
  const isRunning = (body as { code?: string } | undefined)?.code === 'idempotency_in_progress';
  if (!REPEATED.includes(status) && !isRunning) return undefined;
  return Math.max(grown, retryAfter(headers));
}

/** `Retry-After` in milliseconds: seconds, or a date. */
function retryAfter(headers: Headers): number {
  const given = headers.get('retry-after') ?? '0';
  const ms = /^\d+$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - Date.now();
  return Number.isNaN(ms) ? 0 : ms;
}
