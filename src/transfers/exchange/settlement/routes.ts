import { z } from 'zod';
import { type Route, route } from '../../../http/route';
import { audit } from '../../../kernel/audit/audit';
import { deciderOf } from '../../../kernel/caller';
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

const guarded = { tag: 'Exchange', role: 'admin', permission: 'money', party: 'exchange' } as const;

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
    permission: 'view',
    summary: 'Settlement balance',
    description:
      'Our balances at the exchange by currency: as the exchange reports them now, and by our books. Deals that are not paid ' +
      'yet are booked and not reported. `releasable` is the sum that a check would release. A currency with an unreadable ' +
      'balance is left out and opens a break.',
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
    scope: 'money',
    ...guarded,
    asksOnly: true,
    summary: 'Check settlement balance increase',
    description:
      'Asks the exchange for our balance. Orders that wait for this currency complete as far as the received money covers ' +
      'them. Orders complete as a whole, oldest first, at most fifty in a check. The next check uses the rest. Amounts sold or ' +
      'sent in the last five seconds do not count. The answer is 503 when the reading is from the future, or more than five ' +
      'seconds older than the request. The answer is also 503 shortly after an operator has booked a withdrawal.',
    body: z.strictObject({ currency: currency() }),
    response: checkedIncreaseSchema,
    problems: ['unavailable'],
    prepare: ({ body }) => askForIncrease(services, body.currency),
    async write(tx, request, now) {
      const { caller, body } = request;
      const given = { currency: body.currency, now, decidedBy: deciderOf(caller) };
      const checked = checkedIncreaseView(await checkIncrease(services, tx, given));
      const [action, subject] = ['exchange.settlement.check-increase', body.currency];
      await audit(tx, { ...request, action, subject, tenantId: null, after: checked });
      return checked;
    },
  });
