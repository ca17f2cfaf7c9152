import type { Middleware } from 'koa';
import { beginTrace } from '../kernel/tracing/trace';
import { operationIdOf } from './openapi/operation-id';
import type { Route } from './route';

/** Probes, and the product's calls to its own sandbox parties. Traces of both would hide the requests of clients. */
const UNTRACED = /^\/(health|sandbox\/providers)(\/|$)/;

/** Runs each request in a span that is named by its operation and continues the caller's trace (`traceparent`). */
export const tracedRequests: Middleware = (ctx, next) => {
  if (UNTRACED.test(ctx.path)) return next();
  return beginTrace({ kind: 'server', name: 'request' }, ctx.get('traceparent'), async (span) => {
    await next();
    const path = ctx.state['route'] as string | undefined;
    const method = ctx.method as Route['method'];
    span?.set({
      name: path === undefined ? 'no route' : operationIdOf({ method, path }),
      attributes: {
        'http.request.method': METHODS.has(ctx.method) ? ctx.method : 'other',
        'http.route': path ?? 'none',
        'http.response.status_code': ctx.status,
      },
    });
  });
};

/** A made-up method may hold any text. */
const METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);
