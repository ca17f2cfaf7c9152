import type { Middleware } from 'koa';
import { type Decimal, fitsCurrency } from '../../../kernel/money/money';
import type { PartyOptions } from '../../sandbox/options';
import { openBook } from '../../sandbox/orders/orders';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { exchangeOrder, withdrawalOrder } from '../protocol';
import { presentBalances } from './balances';
import { dealBook, WITHDRAWALS } from './orders';
import { isDealt } from './table-price';

/**
 * The simulated exchange: orders and withdrawals under an `idempotency-key`, and our balances, which may be negative.
 * Its transactions commit separately from the caller's, as an outside party's would. The amount selects faults
 * (`scenarios.ts`); nothing is random. It stores no destination.
 */
export function createExchangeParty(options: PartyOptions): Middleware {
  const { database, now, rates = 'still' } = options;
  const deals = openBook(dealBook(rates), options);
  const withdrawals = openBook(WITHDRAWALS, options);
  return routed([
    orderRoute(/^\/orders$/, { body: exchangeOrder }, async (body, key) => {
      const { from: currency, to: bought, amount, minReceive = null, callbackUrl } = body;
      const refused = refusalOf([currency, bought], amount);
      if (refused !== undefined) return { refused };
      const asked = { currency, amount, bought, minReceive };
      return deals.take({ key, callbackUrl, asked, state: { rate: null } });
    }),
    questionRoute(/^\/orders\/([^/]+)$/, (key = '') => deals.report({ key })),
    orderRoute(/^\/withdrawals$/, { body: withdrawalOrder }, async (body, key) => {
      const { amount, currency, callbackUrl } = body;
      const refused = refusalOf([currency], amount);
      if (refused !== undefined) return { refused };
      return withdrawals.take({ key, callbackUrl, asked: { amount, currency }, state: {} });
    }),
    questionRoute(/^\/withdrawals\/([^/]+)$/, (key = '') => withdrawals.report({ key })),
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
