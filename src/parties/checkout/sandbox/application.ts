import type { Middleware } from 'koa';
import { refuse } from '../../sandbox/answers';
import type { PartyOptions } from '../../sandbox/options';
import { createPages } from './pages';
import { createParty } from './party';
import { createSessions } from './sessions';

/** Any name is accepted, because an unknown session is a 404. */
const SESSIONS = /^\/sessions(?:\/([^/]+)(\/refunds)?)?$/;

/**
 * The simulated hosted checkout: `POST /sessions`, `GET /sessions/{id}`, `POST /sessions/{id}/refunds`, callbacks, and
 * the payer's page. Its transactions commit separately from the caller's, as an outside party's would. The amount
 * (`scenarios.ts`) and the page select outcomes; nothing is random.
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
