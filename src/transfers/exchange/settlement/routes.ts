import { z } from 'zod';
import { type Route, route } from '../../../http/route';
import { audit } from '../../../kernel/audit/audit';
import { pageSchema, whole } from '../../../kernel/wire/pages';
import { currency } from '../../../kernel/wire/schemas';
import type { Services } from '../../../services';
import { settlementBalances } from './balance';
import { askForIncrease, checkIncrease } from './check-increase';
import {
  checkedIncreaseSchema,
  checkedIncreaseView,
  settlementBalanceSchema,
  settlementBalanceView,
} from './view';

const guarded = { tag: 'Exchange', role: 'admin', party: 'exchange' } as const;

/** Settlement with the exchange (`interface.md 4.1`, Exchange). */
export const settlementRoutes = (services: Services): Route[] => [
  balanceRoute(services),
  increaseRoute(services),
];

const balanceRoute = (services: Services): Route =>
  route({
    method: 'GET',
    path: '/v1/exchange/settlement/balance',
    ...guarded,
    summary: 'Settlement balance',
    description:
      'What the exchange says now that it has of ours, beside our books, by currency. What it has dealt and not paid yet is ' +
      'booked and not reported. `releasable` is what a check would release. A currency whose balance the exchange tells unreadably is not among them, and is a break.',
    response: pageSchema(settlementBalanceSchema),
    problems: ['unavailable'],
    async read() {
      return whole((await settlementBalances(services)).map(settlementBalanceView));
    },
  });

const increaseRoute = (services: Services): Route =>
  route({
    method: 'POST',
    path: '/v1/exchange/settlement/check-increase',
    ...guarded,
    asksOnly: true,
    summary: 'Check settlement balance increase',
    description:
      'Asks the exchange what it has of ours. Orders that wait for that currency complete as far as what has come covers ' +
      'them: the oldest first, each whole, none overtaken, fifty at once. What is left over is there for the next check. What ' +
      'was sold or sent in the last five seconds is left out. An answer of the exchange that is older than the request by more ' +
      'than five seconds, or of a time to come, is a 503, and so is one of just after an operator has taken money home.',
    body: z.strictObject({ currency: currency() }),
    response: checkedIncreaseSchema,
    problems: ['unavailable'],
    prepare: ({ body }) => askForIncrease(services, body.currency),
    async write(tx, request, now) {
      const { caller, body } = request;
      const given = { currency: body.currency, now, decidedBy: caller.tenantId };
      const checked = checkedIncreaseView(await checkIncrease(services, tx, given));
      const [action, subject] = ['exchange.settlement.check-increase', body.currency];
      await audit(tx, { ...request, action, subject, tenantId: null, after: checked });
      return checked;
    },
  });
