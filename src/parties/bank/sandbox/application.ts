import type { Middleware } from 'koa';
import type { PartyOptions } from '../../sandbox/options';
import { openBook } from '../../sandbox/orders/orders';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { returnOrder } from '../protocol';
import { creditBook, statusAt } from './credit';
import { returnOf, returnRefusal } from './give-back';

/**
 * The simulated bank. `GET /credits/{id}` shows a payment to an IBAN (`receive.ts`). `POST /credits/{id}/returns`
 * returns it, under an `idempotency-key`. The amount of the payment selects recalls and failures (`scenarios.ts`);
 * nothing is random.
 */
export function createBankParty(options: PartyOptions): Middleware {
  const credits = openBook(creditBook, options);
  return routed([
    questionRoute(/^\/credits\/([\w-]{1,100})$/, (key = '') => credits.report({ key })),
    orderRoute(
      /^\/credits\/([\w-]{1,100})\/returns$/,
      { body: returnOrder, malformed: 'malformed_return' },
      async (asked, key, creditId = '') => {
        const { amount } = asked;
        const taken = await credits.takePart({ key: creditId }, { key, asked }, (credit, at) => {
          const refused = returnRefusal(credit, amount, at);
          if (refused !== undefined) return { refused };
          return { returns: [...credit.returns, returnOf(credit, key, amount, at)] };
        });
        if (typeof taken !== 'object' || 'refused' in taken) return taken;
        const made = taken.kept.returns.find((known) => known.key === key);
        return made && { id: made.id, status: statusAt(made, taken.at) };
      },
    ),
  ]);
}
