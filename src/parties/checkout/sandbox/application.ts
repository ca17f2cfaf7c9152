import { randomBytes } from 'node:crypto';
import type { Middleware } from 'koa';
import { typeidUnboxed } from 'typeid-js';
import { fitsCurrency } from '../../../kernel/money/money';
import type { PartyOptions } from '../../sandbox/options';
import { openBook } from '../../sandbox/orders/orders';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { refundOrder, sessionOrder } from '../protocol';
import { refund, refundRefusal } from './actions';
import { sessionBook } from './book';
import { createPages } from './pages';
import { NEW_SESSION, type Session } from './record';
import { refundStatusAt } from './state';

/** 256 bits, because the page's address is the payer's only credential. */
const PAGE_BYTES = 32;

/**
 * The simulated hosted checkout: `POST /sessions`, `GET /sessions/{id}`, `POST /sessions/{id}/refunds`, callbacks, and
 * the payer's page. Its transactions commit separately from the caller's, as an outside party's would. The amount
 * (`scenarios.ts`) and the page select outcomes; nothing is random.
 */
export function createCheckoutParty(options: PartyOptions): Middleware {
  const sessions = openBook(sessionBook(options.publicUrl), options);
  const pages = createPages(sessions, options.publicUrl);
  const api = routed([
    orderRoute(/^\/sessions$/, { body: sessionOrder }, async (order, key) => {
      const { method, amount, currency, merchant, returnUrl, callbackUrl } = order;
      if (!fitsCurrency(amount, currency)) return { refused: 'malformed_order' };
      return sessions.take({
        key,
        callbackUrl,
        id: typeidUnboxed('cks'),
        page: randomBytes(PAGE_BYTES).toString('base64url'),
        asked: { method, amount, currency },
        state: { ...NEW_SESSION, merchant, returnUrl, expiresAt: new Date(order.expiresAt) },
      });
    }),
    questionRoute(/^\/sessions\/([^/]+)$/, (id = '') => sessions.report({ id })),
    orderRoute(
      /^\/sessions\/([^/]+)\/refunds$/,
      { body: refundOrder, malformed: 'malformed_refund' },
      async (asked, key, id = '') => {
        const taken = await sessions.takePart({ id }, { key, asked }, (kept, at) => {
          const session = kept as Session;
          const refused = refundRefusal(session, asked, at);
          return refused === undefined ? refund(session, asked.amount, key, at) : { refused };
        });
        if (typeof taken !== 'object' || 'refused' in taken) return taken;
        const made = taken.kept.refunds.find((known) => known.key === key);
        return made && { refundId: made.id, status: refundStatusAt(made, taken.at) };
      },
    ),
  ]);
  return async (ctx, next) => {
    if (ctx.path.startsWith('/pages/')) await pages(ctx);
    else await api(ctx, next);
  };
}
