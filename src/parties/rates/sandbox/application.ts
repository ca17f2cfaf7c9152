import type { Middleware } from 'koa';
import { answer, refuse } from '../../sandbox/answers';
import type { PartyOptions } from '../../sandbox/options';
import { sandboxSnapshot } from './table';

/** The simulated rates party: `GET /rates` returns all its rates of one moment. It has no orders and no callbacks. */
export function createRatesParty({ now, rates = 'still' }: PartyOptions): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/rates') return void (await next());
    if (ctx.method !== 'GET') return refuse(ctx, 405, 'method_not_allowed');
    answer(ctx, 200, sandboxSnapshot(now(), rates));
  };
}
