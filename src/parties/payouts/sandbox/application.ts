import type { Middleware } from 'koa';
import type { PartyOptions } from '../../sandbox/options';
import { presentWord, takeOrder } from '../../sandbox/orders/taking';
import { payingScenarioOf } from '../../sandbox/paying/scenarios';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { payoutOrder } from '../protocol';
import { PAYOUTS } from './orders';

/**
 * A payouts party that pays nobody: `POST /orders` under an `idempotency-key`, `GET /orders/{key}`. It commits by itself, as
 * an outside party would: what it did stays done although its caller may fail afterwards. Faults come from the amount
 * (../../sandbox/paying/scenarios.ts), never by chance. Of the destination it keeps nothing.
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
