import { randomBytes } from 'node:crypto';
import type { Middleware } from 'koa';
import type { PartyOptions } from '../../sandbox/options';
import { openBook } from '../../sandbox/orders/orders';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { cardOrder } from '../protocol';
import { cardBook } from './orders';
import { pageRoutes } from './pages';

/**
 * The simulated acquirer: `POST /charges` and `POST /pushes` under an `idempotency-key`, `GET /orders/{key}`, and a
 * page where the payer confirms or refuses. Its transactions commit separately from the caller's, as an outside party's
 * would. The card's token selects faults (`scenarios.ts`); nothing is random.
 */
export function createExternalCardsParty(options: PartyOptions): Middleware {
  const orders = openBook(cardBook(options.publicUrl), options);

  const taking = (path: RegExp, kind: 'charge' | 'push') =>
    orderRoute(path, { body: cardOrder }, ({ token, amount, currency, callbackUrl, ...given }, key) => {
      const { merchant, returnUrl } = given;
      const expiresAt = new Date(given.expiresAt);
      return orders.take({
        key,
        callbackUrl,
        page: randomBytes(24).toString('base64url'),
        asked: { kind, token, amount, currency },
        state: { merchant, returnUrl, expiresAt, confirmedAt: null, refusedAt: null },
      });
    });

  return routed([
    taking(/^\/charges$/, 'charge'),
    taking(/^\/pushes$/, 'push'),
    questionRoute(/^\/orders\/([^/]+)$/, (key = '') => orders.report({ key })),
    ...pageRoutes(orders),
  ]);
}
