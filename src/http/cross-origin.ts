import type { Middleware } from 'koa';
import { forbidden } from '../kernel/errors';

/** Paths that pages of one other origin may call in a browser, with the session of its user. */
export interface CrossOrigin {
  /** Beginning of the paths. */
  path: string;
  /** `https://temporal.example.com`. Undefined: no other origin. */
  origin: string | undefined;
  /** Headers that its requests may have. */
  headers: readonly string[];
}

/** How long a browser remembers the answer, in seconds. */
const REMEMBERED = 600;

/** Answers the browser's question before a request, and refuses requests of pages from anywhere else. */
export function crossOrigin({ path, origin, headers }: CrossOrigin): Middleware {
  return async (ctx, next) => {
    const from = ctx.path.startsWith(path) ? ctx.get('origin') : '';
    if (from !== '') {
      ctx.vary('origin');
      if (from !== origin) throw forbidden('Pages of this origin may not call the desk.');
      ctx.set('access-control-allow-origin', from);
      ctx.set('access-control-allow-credentials', 'true');
    }
    if (from === '' || ctx.method !== 'OPTIONS') {
      await next();
      return;
    }
    ctx.set('access-control-allow-methods', 'POST');
    ctx.set('access-control-allow-headers', headers.join(', '));
    ctx.set('access-control-max-age', String(REMEMBERED));
    ctx.status = 204;
  };
}
