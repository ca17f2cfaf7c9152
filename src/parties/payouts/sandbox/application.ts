import type { Middleware } from 'koa';
import type { PartyOptions } from '../../sandbox/options';
import { presentWord, takeOrder } from '../../sandbox/orders/take-order';
import { payingScenarioOf } from '../../sandbox/paying/scenarios';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { payoutOrder } from '../protocol';
import { PAYOUTS } from './orders';

/**
 * The simulated payouts party: `POST /orders` under an `idempotency-key`, `GET /orders/{key}`. Its transactions commit
 * separately from the caller's, as an outside party's would. The amount selects faults
 * (`../../sandbox/paying/scenarios.ts`); nothing is random. It stores no destination.
 */
export function createPayoutsParty({ database, now }: PartyOptions): Middleware {
  return routed([
    orderRoute(/^\/orders$/, { body: payoutOrder }, async ({ destination: _, ...order }, key) => {
      const { orderRefusal } = payingScenarioOf(order.amount);
      if (orderRefusal !== undefined) return { refused: orderRefusal };
      return database.transaction((tx) => takeOrder(tx, PAYOUTS, { key, ...order }, now));
    }),
    questionRoute(/^\/orders\/([^/]+)$/, (key = '') =>
      database.transaction((tx) => presentWord(tx, PAYOUTS, key, now)),
    ),
  ]);
}
