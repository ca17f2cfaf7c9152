import { request } from 'undici';
import { z } from 'zod';
import { textOf } from '../../protocol/text-of';
import { NodeAway, NodeRefused, refusalOf } from './faults';

export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/**
 * JSON-RPC of one address. Every answer is read by a schema: what does not fit is no answer.
 * @throws NodeAway; NodeRefused
 */
export interface Rpc {
  call<Schema extends z.ZodType>(call: RpcCall, schema: Schema): Promise<z.output<Schema>>;
  /** Several in one request, their answers in the order asked for. One that is refused refuses all. */
  all<Schema extends z.ZodType>(calls: readonly RpcCall[], schema: Schema): Promise<z.output<Schema>[]>;
}

/** What public nodes take in one request. */
const BATCH = 20;

/** A full block of a busy chain, or its logs. Bytes. */
const MOST_BYTES = 32 * 1024 * 1024;

const rpcError = z.object({ code: z.number(), message: z.string().catch('') });
const rpcAnswer = z.union([
  z.object({ id: z.unknown(), error: rpcError }),
  z.object({ id: z.unknown(), result: z.unknown() }),
]);
type RpcAnswer = z.output<typeof rpcAnswer>;

/** Errors of a connection that never came to be: nothing was sent. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** @param url may hold credentials: in no error, whatever happens */
export function createRpc(url: string, timeoutMs: number): Rpc {
  const target = targetOf(url);

  async function post(body: unknown): Promise<unknown> {
    if (!target) throw new NodeAway(false);
    try {
      // It follows no redirect, and the time limit is one of the whole answer.
      const { statusCode, body: answer } = await request(target.url, {
        ...{ method: 'POST', headers: target.headers, body: JSON.stringify(body) },
        signal: AbortSignal.timeout(timeoutMs),
      });
      return bodyOf(statusCode, await textOf(answer, MOST_BYTES));
    } catch (error) {
      if (error instanceof NodeAway) throw error;
      throw new NodeAway(!NOT_CONNECTED.includes((error as { code?: string }).code ?? ''));
    }
  }

  async function call<Schema extends z.ZodType>(asked: RpcCall, schema: Schema): Promise<z.output<Schema>> {
    return read(await post({ jsonrpc: '2.0', id: 0, ...asked }), schema);
  }

  async function batch<Schema extends z.ZodType>(calls: readonly RpcCall[], schema: Schema) {
    const answers = await post(calls.map((asked, id) => ({ jsonrpc: '2.0', id, ...asked })));
    if (!Array.isArray(answers)) return oneByOne(calls, schema); // it takes no batches, or none of that size
    const byId = new Map(answers.map((answer: unknown) => [(answer as RpcAnswer | null)?.id, answer]));
    return calls.map((_, id) => read(byId.get(id), schema));
  }

  async function oneByOne<Schema extends z.ZodType>(calls: readonly RpcCall[], schema: Schema) {
    const answers: z.output<Schema>[] = [];
    for (const asked of calls) answers.push(await call(asked, schema));
    return answers;
  }

  async function all<Schema extends z.ZodType>(calls: readonly RpcCall[], schema: Schema) {
    const answers: z.output<Schema>[] = [];
    for (let at = 0; at < calls.length; at += BATCH)
      answers.push(...(await batch(calls.slice(at, at + BATCH), schema)));
    return answers;
  }

  return { call, all };
}

/** Credentials before the host are sent as HTTP has them (RFC 7617). Nothing: it is no address that could be asked. */
function targetOf(text: string): { url: string; headers: Record<string, string> } | undefined {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
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

/** Some nodes give their errors with a status of HTTP: what is JSON-RPC is their word. */
function bodyOf(status: number, text: string): unknown {
  const isDone = status >= 200 && status < 300;
  const body = parsed(text);
  if (isDone || Array.isArray(body) || z.object({ error: rpcError }).safeParse(body).success) return body;
  throw new NodeAway(status >= 500); // a 4xx has let nothing in
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read<Schema extends z.ZodType>(body: unknown, schema: Schema): z.output<Schema> {
  const answer = rpcAnswer.safeParse(body);
  if (!answer.success) throw new NodeAway(true);
  if ('error' in answer.data) throw new NodeRefused(refusalOf(answer.data.error));
  const result = schema.safeParse(answer.data.result);
  if (!result.success) throw new NodeAway(true);
  return result.data;
}
