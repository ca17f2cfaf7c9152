import type { Middleware } from 'koa';
import type { PartyOptions } from '../../sandbox/options';
import { openBook } from '../../sandbox/orders/orders';
import { payingBook } from '../../sandbox/paying/progress';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { payoutOrder } from '../protocol';

const BOOK = payingBook({
  party: 'payouts',
  kind: 'payout',
  asked: payoutOrder.pick({ method: true, amount: true, currency: true }),
});

/**
 * The simulated payouts party: `POST /orders` under an `idempotency-key`, `GET /orders/{key}`. Its transactions commit
 * separately from the caller's, as an outside party's would. The amount selects faults
 * (`../../sandbox/paying/scenarios.ts`); nothing is random. It stores no destination.
 */
export function createPayoutsParty(options: PartyOptions): Middleware {
  const orders = openBook(BOOK, options);
  return routed([
    orderRoute(/^\/orders$/, { body: payoutOrder }, ({ destination: _, callbackUrl, ...asked }, key) =>
      orders.take({ key, callbackUrl, asked, state: {} }),
    ),
    questionRoute(/^\/orders\/([^/]+)$/, (key = '') => orders.report({ key })),
  ]);
}
