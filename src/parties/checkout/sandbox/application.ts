import type { Middleware } from 'koa';
import { refuse } from '../../sandbox/answers';
import type { PartyOptions } from '../../sandbox/options';
import { createPages } from './pages';
import { createParty } from './party';
import { createSessions } from './sessions';

/** Whatever is asked for by a name, it is a session that is there or is not. */
const SESSIONS = /^\/sessions(?:\/([^/]+)(\/refunds)?)?$/;

/**
 * A hosted checkout that takes nobody's money: `POST /sessions`, `GET /sessions/{id}`, `POST /sessions/{id}/refunds`,
 * callbacks, and the payer's page. It commits by itself, as an outside party would: what it did stays done although its
 * caller may fail afterwards. What happens comes from the amount (scenarios.ts) and from the page, never by chance.
 */
export function createCheckoutParty(options: PartyOptions): Middleware {
  const party = createParty(options);
  const pages = createPages(party);
  const sessions = createSessions(party);
  return async (ctx, next) => {
    if (ctx.path.startsWith('/pages/')) return pages(ctx);
    const match = SESSIONS.exec(ctx.path);
    if (!match) return void (await next());
    const [, id, refunds] = match;
    if (id === undefined && ctx.method === 'POST') return sessions.create(ctx);
    if (id !== undefined && refunds === undefined && ctx.method === 'GET') return sessions.show(ctx, id);
    if (id !== undefined && refunds !== undefined && ctx.method === 'POST')
      return sessions.makeRefund(ctx, id);
    refuse(ctx, 405, 'method_not_allowed');
  };
}
