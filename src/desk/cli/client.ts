import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../kernel/errors';
import { StartupError } from '../../kernel/startup-error';

/** Calls the desk as an operator who is signed in. */
export interface DeskClient {
  /** Address of the desk, without a trailing slash. */
  url: string;
  get<T>(path: string, query?: Record<string, string>): Promise<T>;
  /** An answer that is not JSON. */
  text(path: string, query?: Record<string, string>): Promise<string>;
  /** @param key repeated until there is an answer, so that a lost one has no second effect */
  post<T>(path: string, body: object, key?: string): Promise<{ status: number; body: T }>;
  /** The bytes of a file, which takes a reason. */
  file(path: string, body: object): Promise<Buffer>;
  delete(path: string): Promise<void>;
}

export interface Credentials {
  name: string;
  secret: string;
  code?: string | undefined;
}

const ATTEMPTS = 4;
const PAUSE_MS = 250;

/**
 * Signs in. @returns the token of a session
 * @throws Problem of the desk; StartupError when nothing listens there
 */
export async function beginSession(url: string, credentials: Credentials): Promise<string> {
  const { body } = await calling(url).post<{ token: string }>('/sessions', credentials);
  return body.token;
}

/** Calls the desk without a session. */
export const deskCaller = (url: string): DeskClient => calling(url);

export const deskClient = (url: string, token: string): DeskClient =>
  calling(url, { authorization: `Bearer ${token}` });

function calling(url: string, credential: Record<string, string> = {}): DeskClient {
  async function call(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...credential, ...(init.headers as Record<string, string> | undefined) };
    const answer = await fetch(`${url}/desk/v1${path}`, { ...init, method, headers }).catch(
      (error: Error) => {
        throw new StartupError(`The desk at ${url} cannot be reached (${causeOf(error)}).`);
      },
    );
    if (!answer.ok) throw await problemOf(answer);
    return answer;
  }
  const get = (path: string, query: Record<string, string> = {}) => {
    const search = new URLSearchParams(query).toString();
    return call('GET', search ? `${path}?${search}` : path);
  };
  const post = (path: string, body: object, key?: string) => {
    const headers = { 'content-type': 'application/json', ...(key ? { 'x-idempotency-key': key } : {}) };
    return call('POST', path, { headers, body: JSON.stringify(body) });
  };
  return {
    url,
    get: async <T>(path: string, query?: Record<string, string>) =>
      (await (await get(path, query)).json()) as T,
    text: async (path, query) => (await get(path, query)).text(),
    async post<T>(path: string, body: object, key?: string) {
      const send = () => post(path, body, key);
      const answer = await (key ? repeated(send) : send());
      return { status: answer.status, body: (await answer.json()) as T };
    },
    file: async (path, body) => Buffer.from(await (await post(path, body)).arrayBuffer()),
    delete: async (path) => void (await call('DELETE', path)),
  };
}

/** Repeats a request whose answer was lost, or whose outcome is not known. */
async function repeated<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const isLost = error instanceof StartupError || (error instanceof Problem && error.status === 503);
      if (!isLost || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS * 2 ** attempt);
    }
  }
}

const causeOf = (error: Error): string =>
  error.cause instanceof Error ? error.cause.message : error.message;

async function problemOf(answer: Response): Promise<Error> {
  const text = await answer.text();
  try {
    const {
      code,
      message,
      field,
      requestId: _,
      ...details
    } = JSON.parse(text) as Record<string, string> & Problem['details'];
    return new Problem(answer.status, code ?? 'internal', message ?? text, field, undefined, details);
  } catch {
    return new StartupError(`The desk answered ${answer.status} without a reason.`);
  }
}
