import type { Context, Middleware } from 'koa';
import type { z } from 'zod';
import { isStorable } from '../protocol/stored';
import { answer, dropConnection, refuse } from './answers';
import { readOrder } from './body';

/** A path of a party that answers with states. */
export interface PartyRoute {
  method: 'GET' | 'POST';
  /** Its groups become the handler's names, decoded. */
  path: RegExp;
  handle(ctx: Context, ...names: string[]): Promise<void>;
}

/** Result of an order or of a read. */
export type Outcome =
  /** The state. */
  | object
  /** The party has no such record. */
  | undefined
  /** Nothing reaches the party. */
  | 'unreachable'
  /** The party gives no answer. */
  | 'silent'
  /** The key was used for another order. */
  | 'another'
  | { refused: string };

export function routed(routes: readonly PartyRoute[]): Middleware {
  return async (ctx, next) => {
    const fitting = routes.filter(({ path }) => path.test(ctx.path));
    if (fitting.length === 0) return void (await next());
    const asked = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const route = fitting.find(({ method }) => method === asked);
    if (!route) return refuse(ctx, 405, 'method_not_allowed');
    const names = namesIn(route.path, ctx.path);
    if (!names) return refuse(ctx, 404, 'not_found');
    await route.handle(ctx, ...names);
  };
}

/** The names in a path, decoded. Undefined where one is no text that a record can have. */
function namesIn(pattern: RegExp, path: string): string[] | undefined {
  const [, ...parts] = pattern.exec(path) ?? [];
  try {
    const names = parts.map((part) => decodeURIComponent(part));
    return names.every(isStorable) ? names : undefined;
  } catch {
    return undefined;
  }
}

/** A `POST` under an `idempotency-key`. */
export const orderRoute = <S extends z.ZodType>(
  path: RegExp,
  { body: schema, limit, malformed = 'malformed_order' }: { body: S; limit?: string; malformed?: string },
  take: (order: z.output<S>, key: string, ...names: string[]) => Promise<Outcome>,
): PartyRoute => ({
  method: 'POST',
  path,
  async handle(ctx, ...names) {
    const body = schema.safeParse(await readOrder(ctx, limit));
    const key = ctx.get('idempotency-key');
    if (!body.success || key === '') return refuse(ctx, 422, malformed);
    reply(ctx, 201, await take(body.data, key, ...names));
  },
});

/** A `GET` of a present state. */
export const questionRoute = (path: RegExp, find: (...names: string[]) => Promise<Outcome>): PartyRoute => ({
  method: 'GET',
  path,
  handle: async (ctx, ...names) => reply(ctx, 200, await find(...names)),
});

function reply(ctx: Context, status: number, outcome: Outcome): void {
  if (outcome === undefined) return refuse(ctx, 404, 'not_found');
  if (outcome === 'unreachable') return refuse(ctx, 503, 'unavailable');
  if (outcome === 'silent') return dropConnection(ctx);
  if (outcome === 'another') return refuse(ctx, 409, 'idempotency_mismatch');
  if ('refused' in outcome) return refuse(ctx, 422, outcome.refused);
  answer(ctx, status, outcome);
}
