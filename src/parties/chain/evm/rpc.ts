import { z } from 'zod';
import { createClient, type RpcCall } from './client';
import { NodeAway, NodeRefused, refusalOf, TooLong } from './faults';

/**
 * JSON-RPC of one address. A schema reads every answer, and an answer that does not fit counts as none.
 * @throws NodeAway; NodeRefused
 */
export interface Rpc {
  call<Schema extends z.ZodType>(call: RpcCall, schema: Schema): Promise<z.output<Schema>>;
  /** Several calls in one request. The answers have the order of the calls. One refusal refuses all. */
  all<Schema extends z.ZodType>(calls: readonly RpcCall[], schema: Schema): Promise<z.output<Schema>[]>;
}

/** Calls in one request that public nodes accept. */
const BATCH = 20;

/**
 * viem does not check answers. A result beside an error is ignored, because null would mean that the record is missing.
 */
const rpcAnswer = z.object({
  error: z.object({ code: z.number(), message: z.string().catch('') }).nullish(),
  result: z.unknown().optional(),
});

/** @param url may hold credentials, so no error contains it */
export function createRpc(url: string, timeoutMs: number): Rpc {
  const ask = createClient(url, timeoutMs);

  async function call<Schema extends z.ZodType>(asked: RpcCall, schema: Schema): Promise<z.output<Schema>> {
    return read(await ask(asked), schema);
  }

  /** Matches answers by id. viem's batches match by position, where one missing answer would shift the others. */
  async function batch<Schema extends z.ZodType>(calls: readonly RpcCall[], schema: Schema) {
    const answers = await ask(calls.map((asked, id) => ({ ...asked, id }))).catch(nothingIfTooLong);
    if (!Array.isArray(answers)) return oneByOne(calls, schema); // the node takes no batches, or none of that size
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
