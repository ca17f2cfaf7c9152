import { CardwrightError, cardwright, until } from '../../client/src';
import type { Credential, Fleet } from '../support/product';

/** The client kit under test: its requests must get definite answers, whatever is killed meanwhile. */

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
  /** Sends by the kit. @throws Error without a definite answer in {@link PATIENCE_MS}, or after a 500 */
  send(method: string, path: string, body: unknown, key: string): Promise<Answer>;
  /** Reads by the kit until the answer fulfils the condition, if given. */
  get(path: string, enough?: (body: any) => boolean): Promise<any>;
  /** Sends the same request under the same key once. */
  again(settled: Settled): Promise<Answer>;
  /** Sends a request without a key once, whatever the answer. */
  once(method: string, path: string, body?: unknown): Promise<Answer>;
  /** All definite answers in order of arrival. */
  settled: Settled[];
  /** Called before each attempt of a request that changes something. */
  onWrite: (() => void) | undefined;
  /** Longest wait for a definite answer so far, over all attempts, in milliseconds. */
  longestWaitMs: number;
  /** Called with the text of each answer, of reads too. */
  onAnswer: ((text: string) => void) | undefined;
}

/** Longer than faults and the recovery from them take on a busy machine. Only work that hangs reaches it. */
export const PATIENCE_MS = 900_000;
/** A stopped process answers late, and another one at once. */
const ATTEMPT_MS = 20_000;
/** Short for a person, and long enough that reads do not take the processor time of the work that they wait for. */
const PAUSE_MS = 500;

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
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
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
    longestWaitMs: 0,
    onWrite: undefined,
    onAnswer: undefined,
  };

  /** A 500 fails the test, because no broken server may cause it. */
  let broken: Error | undefined;
  const kit = cardwright({
    baseUrl: fleet.baseUrl,
    ...credential,
    timeoutMs: ATTEMPT_MS,
    patienceMs: PATIENCE_MS,
    async fetch(url, init) {
      if (init.method !== 'GET') one.onWrite?.();
      const response = await fetch(url, init);
      const { status, headers } = response;
      const text = await response.clone().text();
      one.onAnswer?.(text);
      if (status >= 500 && !isProperlyAway({ status, headers, text, body: parsed(text) }))
        broken = new Error(`${init.method} ${url}: ${status} ${text}`);
      return response;
    },
  });

  async function send(method: string, path: string, body: unknown, key: string): Promise<Answer> {
    const began = performance.now();
    const given = await kit.request(method, path, { body, key }).catch((error: unknown) => {
      if (error instanceof CardwrightError) return error.answer;
      throw error;
    });
    one.longestWaitMs = Math.max(one.longestWaitMs, performance.now() - began);
    if (broken) throw broken;
    const text = new TextDecoder().decode(given.bytes);
    const answer = { status: given.status, headers: given.headers, text, body: parsed(text) };
    one.settled.push({ method, path, body, key, answer });
    return answer;
  }

  async function get(path: string, enough: (body: any) => boolean = () => true): Promise<any> {
    const read = async () => (await kit.request('GET', path)).body;
    const found = await until(read, enough, { patienceMs: PATIENCE_MS, pauseMs: PAUSE_MS });
    if (broken) throw broken;
    return found;
  }

  return one;
}

const parsed = (text: string): any => (text === '' ? {} : JSON.parse(text));

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
