import Router, { type RouterOptions } from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Route } from './route';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** One spelling a path. Of two that match, the one with fewer parameters is meant: `/cardholders/cities` is no id. */
const OPTIONS: RouterOptions = { strict: true, sensitive: true, exclusive: 'specificity' };

export interface Routers {
  /** Runs the route that matches; `next` where none does. */
  dispatch: Middleware;
  /** The methods that a path takes, in the order of {@link METHODS}. */
  allowed(path: string): string[];
}

/**
 * The routes on a router for each beginning of a path (`/v1/cards`): a router tries its patterns one by one, and all of them
 * in one would cost each request some 8 µs.
 * @param handle is given the parameters of the path in `ctx.params`, decoded
 */
export function createRouters(
  routes: Route[],
  handle: (ctx: Context, route: Route) => Promise<void>,
): Routers {
  const routers = new Map<string, Router>();
  for (const route of routes) {
    const beginning = beginningOf(route.path);
    const router = routers.get(beginning) ?? new Router(OPTIONS);
    routers.set(beginning, router);
    const pattern = route.path.replace(/\{(\w+)\}/g, ':$1');
    router.register(pattern, [route.method], (ctx) => handle(ctx, route));
  }
  const dispatchers = new Map([...routers].map(([beginning, router]) => [beginning, asMiddleware(router)]));
  const keyOf = (path: string) =>
    [beginningOf(path), firstSegment(path)].find((key) => routers.has(key)) ?? '';
  return {
    async dispatch(ctx, next) {
      const dispatch = dispatchers.get(keyOf(ctx.path));
      await (dispatch ? dispatch(ctx, next) : next());
    },
    allowed(path) {
      const router = routers.get(keyOf(path));
      return METHODS.filter((method) => router?.match(path, method).route);
    },
  };
}

/** The two packages name the same context by different types. */
const asMiddleware = (router: Router) => router.middleware() as unknown as Middleware;

/** Its first two segments, unless the second is a parameter: `/v1/cards`, `/health`, `/checkout`. */
function beginningOf(path: string): string {
  const [, first = '', second] = path.split('/', 3);
  return second === undefined || second.startsWith('{') ? `/${first}` : `/${first}/${second}`;
}

function firstSegment(path: string): string {
  return `/${path.split('/', 2)[1] ?? ''}`;
}
