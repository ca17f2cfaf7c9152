import type { Context, Middleware } from 'koa';
import { refuse } from '../../sandbox/answers';
import type { PartyOptions } from '../../sandbox/options';

export function createExchangeParty(_: PartyOptions): Middleware {
  return async (ctx: Context) => refuse(ctx, 404, 'not_found');
}
