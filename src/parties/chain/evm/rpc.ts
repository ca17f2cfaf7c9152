import { setImmediate } from 'node:timers';
import { z } from 'zod';
import { inParallel, portionsOf } from '../../../kernel/in-parallel';
import { createClient, type RpcCall } from './client';
import { BadStatus, isQuota, Limited, NodeAway, NodeRefused, refusalOf, TooLong } from './faults';
import { createShape } from './limits';

/**
 * JSON-RPC of one address. A schema reads every answer, and an answer that does not fit counts as none.
 * @throws NodeAway; NodeRefused
 */
export interface Rpc {
  /**
   * Calls of one turn of the event loop travel in one request, and equal ones share an answer. Each answer is judged on
   * its own.
   */
  call<Schema extends z.ZodType>(call: RpcCall, schema: Schema): Promise<z.output<Schema>>;
  /** Several calls. The answers have the order of the calls. One refusal refuses all. */
  all<Schema extends z.ZodType>(calls: readonly RpcCall[], schema: Schema): Promise<z.output<Schema>[]>;
  /** A call in a request of its own: it has a long answer, or it does something, so it must not be sent again. */
  alone<Schema extends z.ZodType>(call: RpcCall, schema: Schema): Promise<z.output<Schema>>;
}

/** Calls in one request that public nodes accept. */
const BATCH = 20;

/** Requests of one turn at the same time. */
const AT_ONCE = 8;

/** How long a node that has refused a request of several calls gets single ones. Milliseconds. */
const REFUSED_MS = 60_000;

/**
 * viem does not check answers. A result beside an error is ignored, because null would mean that the record is missing.
 */
const rpcAnswer = z.object({
  error: z.object({ code: z.number(), message: z.string().catch('') }).nullish(),
  result: z.unknown().optional(),
});

/** A call that waits for its answer, a whole answer of JSON-RPC. */
interface Waiting {
  asked: RpcCall;
  answer: Promise<unknown>;
  resolve(body: unknown): void;
  reject(error: unknown): void;
}

/**
 * @param url may hold credentials, so no error contains it
 * @param perSecond most calls in a second; absent: no limit
 */
export function createRpc(url: string, timeoutMs: number, perSecond?: number): Rpc {
  const client = createClient(url, timeoutMs);
  const turn = createShape(perSecond);
  const ask: typeof client = async (body) => {
    await turn(Array.isArray(body) ? body.length : 1);
    return client(body);
  };
  let waiting = new Map<string, Waiting>();
  let singleUntil = 0;

  function gathered(asked: RpcCall): Promise<unknown> {
    const key = JSON.stringify(asked);
    const known = waiting.get(key);
    if (known) return known.answer;
    if (waiting.size === 0) setImmediate(() => void sendAll());
    const made = waitingFor(asked);
    waiting.set(key, made);
    return made.answer;
  }

  async function sendAll(): Promise<void> {
    const all = [...waiting.values()];
    waiting = new Map();
    const size = performance.now() < singleUntil ? 1 : BATCH;
    await inParallel(portionsOf(all, size), AT_ONCE, send);
  }

  /** Matches answers by id. viem's batches match by position, where one missing answer would shift the others. */
  async function send(some: readonly Waiting[]): Promise<void> {
    if (some.length === 1) return sendEach(some);
    try {
      const answers = await ask(some.map(({ asked }, id) => ({ ...asked, id }))).catch(nothingIfRefused);
      if (!Array.isArray(answers)) {
        // The node takes no batches, or none of that size.
        singleUntil = performance.now() + REFUSED_MS;
        return await sendEach(some);
      }
      const byId = new Map(
        answers.map((answer: unknown) => [(answer as { id?: unknown } | null)?.id, answer]),
      );
      for (const [id, { resolve }] of some.entries()) resolve(byId.get(id));
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }

  async function sendEach(some: readonly Waiting[]): Promise<void> {
    await Promise.all(some.map(({ asked, resolve, reject }) => ask(asked).then(resolve, reject)));
  }

  const call: Rpc['call'] = async (asked, schema) => read(await gathered(asked), schema);
  return {
    call,
    all: (calls, schema) => Promise.all(calls.map((asked) => call(asked, schema))),
    alone: async (asked, schema) => read(await ask(asked), schema),
  };
}

/** A call whose answer comes later. */
function waitingFor(asked: RpcCall): Waiting {
  const waiting = { asked } as Waiting;
  waiting.answer = new Promise((resolve, reject) => Object.assign(waiting, { resolve, reject }));
  return waiting;
}

/** Whether the node may refuse a request for its size. A node that has too much to do, or asks for credentials, is not asked more often. */
export const isOfItsSize = (error: unknown): boolean =>
  error instanceof TooLong ||
  (error instanceof BadStatus && [400, 404, 405, 413, 422].includes(error.status));

function nothingIfRefused(error: unknown): undefined {
  if (!isOfItsSize(error)) throw error;
}

function read<Schema extends z.ZodType>(body: unknown, schema: Schema): z.output<Schema> {
  const answer = rpcAnswer.safeParse(body);
  if (!answer.success) throw new NodeAway(true);
  if (answer.data.error && isQuota(answer.data.error)) throw new Limited();
  if (answer.data.error) throw new NodeRefused(refusalOf(answer.data.error));
  const result = schema.safeParse(answer.data.result);
  if (!result.success) throw new NodeAway(true);
  return result.data;
}
