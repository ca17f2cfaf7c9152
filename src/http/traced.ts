import type { Middleware } from 'koa';
import { beginTrace } from '../kernel/tracing/trace';
import { operationIdOf } from './openapi/operation-id';
import type { Route } from './route';

/** Runs each request in a span that is named by its operation. It continues the caller's trace (`traceparent`). */
export const tracedRequests: Middleware = (ctx, next) =>
  beginTrace({ kind: 'server', name: 'request' }, ctx.get('traceparent'), async (span) => {
    await next();
    if (!span) return;
    // Probes, and the product's calls to its own sandbox parties.
    if (ctx.state['internal'] === true) return span.drop();
    const path = ctx.state['route'] as string | undefined;
    const method = ctx.method as Route['method'];
    span.set({
      name: path === undefined ? 'no route' : operationIdOf({ method, path }),
      attributes: {
        'http.request.method': ctx.method,
        'http.route': path ?? 'none',
        'http.response.status_code': ctx.status,
      },
    });
  });
