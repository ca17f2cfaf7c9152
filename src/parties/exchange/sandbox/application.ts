import type { Middleware } from 'koa';
import { type Decimal, fitsCurrency } from '../../../kernel/money/money';
import type { PartyOptions } from '../../sandbox/options';
import { presentWord, takeOrder } from '../../sandbox/orders/take-order';
import { payingScenarioOf } from '../../sandbox/paying/scenarios';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { exchangeOrder, withdrawalOrder } from '../protocol';
import { holdBalances, presentBalances } from './balances';
import { dealBook, WITHDRAWALS } from './orders';
import { exchangeScenarioOf } from './scenarios';
import { isDealt } from './table-price';

/**
 * The simulated exchange: orders and withdrawals under an `idempotency-key`, and our balances, which may be negative.
 * Its transactions commit separately from the caller's, as an outside party's would. The amount selects faults
 * (`scenarios.ts`); nothing is random. It stores no destination.
 */
export function createExchangeParty({ database, now, rates = 'still' }: PartyOptions): Middleware {
  const deals = dealBook(rates);
  return routed([
    orderRoute(/^\/orders$/, { body: exchangeOrder }, async (body, key) => {
      const { from: currency, to: bought, amount, minReceive = null, callbackUrl } = body;
      const refused = refusalOf([currency, bought], amount) ?? exchangeScenarioOf(amount).orderRefusal;
      if (refused !== undefined) return { refused };
      const order = { key, currency, amount, bought, minReceive, callbackUrl };
      return database.transaction(async (tx) => {
        await holdBalances(tx);
        return takeOrder(tx, deals, order, now);
      });
    }),
    questionRoute(/^\/orders\/([^/]+)$/, (key = '') =>
      database.transaction((tx) => presentWord(tx, deals, key, now)),
    ),
    orderRoute(/^\/withdrawals$/, { body: withdrawalOrder }, async ({ destination: _, ...order }, key) => {
      const { amount, currency } = order;
      const refused = refusalOf([currency], amount) ?? payingScenarioOf(amount).orderRefusal;
      if (refused !== undefined) return { refused };
      return database.transaction(async (tx) => {
        await holdBalances(tx);
        return takeOrder(tx, WITHDRAWALS, { key, ...order }, now);
      });
    }),
    questionRoute(/^\/withdrawals\/([^/]+)$/, (key = '') =>
      database.transaction((tx) => presentWord(tx, WITHDRAWALS, key, now)),
    ),
    questionRoute(/^\/balances$/, () => database.transaction((tx) => presentBalances(tx, now))),
  ]);
}

/** Refuses an impossible order. The time does not matter, because a repeat of a taken order must not be refused. */
function refusalOf(currencies: readonly [string, ...string[]], amount: Decimal): string | undefined {
  const [moved] = currencies;
  if (!currencies.every(isDealt) || new Set(currencies).size < currencies.length)
    return 'unsupported_currency';
  return fitsCurrency(amount, moved) ? undefined : 'malformed_order';
}
