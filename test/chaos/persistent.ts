import { setTimeout as sleep } from 'node:timers/promises';
import type { Credential, Fleet } from '../support/product';

/** A correct client: repeats a request under its key until it has a definite answer. */

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: any;
}

/** A request with its definite answer. */
export interface Settled {
  method: string;
  path: string;
  body: unknown;
  key: string;
  answer: Answer;
}

export interface Persistent {
  /** Repeats under the key until the answer is definite. @throws Error without one in two minutes, or after a 500 */
  send(method: string, path: string, body: unknown, key: string): Promise<Answer>;
  /** Repeats a read until it has an answer that fulfils the condition, if given. */
  get(path: string, enough?: (body: any) => boolean): Promise<any>;
  /** Sends the same request under the same key once. */
  again(settled: Settled): Promise<Answer>;
  /** Sends a request without a key once, whatever the answer. */
  once(method: string, path: string, body?: unknown): Promise<Answer>;
  /** All definite answers in order of arrival. */
  settled: Settled[];
  /** Called before each request that changes something. */
  onWrite: (() => void) | undefined;
  /** Called with the text of each answer, of reads too. */
  onAnswer: ((text: string) => void) | undefined;
}

const PATIENCE_MS = 120_000;
const PAUSE_MS = 100;

/** Sends one request. @throws Error when the connection cannot be made, or breaks */
export async function ask(
  fleet: Pick<Fleet, 'baseUrl'>,
  credential: Credential,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<Answer> {
  const response = await fetch(fleet.baseUrl + path, {
    method,
    headers: {
      'x-client-id': credential.clientId,
      'x-client-secret': credential.clientSecret,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'x-idempotency-key': key }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? {} : JSON.parse(text),
  };
}

export function persistent(fleet: Fleet, credential: Credential): Persistent {
  const again = ({ method, path, body, key }: Settled) => ask(fleet, credential, method, path, body, key);
  const one: Persistent = {
    send,
    get,
    again,
    async once(method, path, body) {
      const answer = await ask(fleet, credential, method, path, body);
      one.onAnswer?.(answer.text);
      return answer;
    },
    settled: [],
    onWrite: undefined,
    onAnswer: undefined,
  };

  async function tryOnce(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<Answer | undefined> {
    if (method !== 'GET') one.onWrite?.();
    const answer = await ask(fleet, credential, method, path, body, key).catch(() => undefined);
    if (answer) one.onAnswer?.(answer.text);
    if (answer && answer.status >= 500 && !isProperlyAway(answer)) {
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`); // no broken server may cause this
    }
    return answer;
  }

  async function send(method: string, path: string, body: unknown, key: string): Promise<Answer> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await tryOnce(method, path, body, key);
      if (answer && isDefinite(answer)) {
        one.settled.push({ method, path, body, key, answer });
        return answer;
      }
      if (performance.now() > deadline) throw new Error(`${method} ${path} got no answer: ${answer?.text}`);
      await sleep(PAUSE_MS);
    }
  }

  async function get(path: string, enough: (body: any) => boolean = () => true): Promise<any> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await tryOnce('GET', path);
      if (answer?.status === 200 && enough(answer.body)) return answer.body;
      if (performance.now() > deadline) throw new Error(`GET ${path} timed out: ${answer?.text}`);
      await sleep(PAUSE_MS);
    }
  }

  return one;
}

function isDefinite({ status, body }: Answer): boolean {
  return status < 500 && status !== 429 && body.code !== 'idempotency_in_progress';
}

/** Whether the answer is a 503 in the error shape with `Retry-After` (decisions part 1). */
export function isProperlyAway({ status, headers, body }: Answer): boolean {
  return (
    status === 503 &&
    ['unavailable', 'outcome_unknown'].includes(body.code) &&
    typeof body.message === 'string' &&
    body.requestId === headers.get('x-request-id') &&
    Number(headers.get('retry-after')) > 0
  );
}
