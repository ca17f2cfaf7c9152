import { z } from 'zod';
import { createClient, type RpcCall } from './client';
import { NodeAway, NodeRefused, refusalOf, TooLong } from './faults';

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

/** viem takes an answer as it comes. Where there is an error no result counts: null says that there is no such thing. */
const rpcAnswer = z.object({
  error: z.object({ code: z.number(), message: z.string().catch('') }).nullish(),
  result: z.unknown().optional(),
});

/** @param url may hold credentials: in no error, whatever happens */
export function createRpc(url: string, timeoutMs: number): Rpc {
  const ask = createClient(url, timeoutMs);

  async function call<Schema extends z.ZodType>(asked: RpcCall, schema: Schema): Promise<z.output<Schema>> {
    return read(await ask(asked), schema);
  }

  /** Paired by ids: viem's own batches are paired by their order, where one that is missing moves the others. */
  async function batch<Schema extends z.ZodType>(calls: readonly RpcCall[], schema: Schema) {
    const answers = await ask(calls.map((asked, id) => ({ ...asked, id }))).catch(nothingIfTooLong);
    if (!Array.isArray(answers)) return oneByOne(calls, schema); // it takes no batches, or none of that size
    const byId = new Map(answers.map((answer: unknown) => [(answer as { id?: unknown } | null)?.id, answer]));
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

function nothingIfTooLong(error: unknown): undefined {
  if (!(error instanceof TooLong)) throw error;
}

function read<Schema extends z.ZodType>(body: unknown, schema: Schema): z.output<Schema> {
  const answer = rpcAnswer.safeParse(body);
  if (!answer.success) throw new NodeAway(true);
  if (answer.data.error) throw new NodeRefused(refusalOf(answer.data.error));
  const result = schema.safeParse(answer.data.result);
  if (!result.success) throw new NodeAway(true);
  return result.data;
}
