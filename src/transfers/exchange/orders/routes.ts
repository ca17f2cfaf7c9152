import { z } from 'zod';
import { type Route, route } from '../../../http/route';
import { auditAdmin } from '../../../kernel/audit/audit';
import { operationKey } from '../../../kernel/idempotency';
import { idPage, pageById } from '../../../kernel/wire/id-pages';
import { idFilter, pageQuery, pageSchema } from '../../../kernel/wire/pages';
import { amount, currency, identifier } from '../../../kernel/wire/schemas';
import type { Services } from '../../../services';
import { createExchangeOrder, listExchangeOrders, requireExchangeOrder } from './create';
import { EXCHANGE_ORDER_STATUSES, type ExchangeOrderStatus, isFinal } from './record';
import { exchangeOrderSchema, exchangeOrderView } from './view';

const guarded = { tag: 'Exchange', capability: 'exchange', party: 'exchange' } as const;

/** Exchanges through the exchange party (`interface.md 4.1`, Exchange). */
export const exchangeOrderRoutes = (services: Services): Route[] => [
  list(services),
  creation(services),
  retrieval(services),
];

const list = (services: Services): Route =>
  route({
    method: 'GET',
    path: '/v1/exchange/orders',
    ...guarded,
    summary: 'List exchange orders',
    description: 'Your orders, newest first. Available while the exchange is stopped.',
    query: z.object({
      ...pageQuery,
      status: z.enum(EXCHANGE_ORDER_STATUSES).optional(),
      fromAccountId: idFilter('acc_01jz0000000000000000000000'),
      fromCurrency: currency().optional(),
    }),
    response: pageSchema(exchangeOrderSchema),
    async read({ caller: { tenantId }, query }) {
      const { page, limit, filter } = idPage(query, 'exchangeOrder');
      const { status, fromAccountId: accountId, fromCurrency } = filter;
      const wanted = { tenantId, accountId, status, currency: fromCurrency };
      const found = await listExchangeOrders(services, wanted, page);
      return pageById(found.map(exchangeOrderView), limit, (view) => view);
    },
  });

const creation = (services: Services): Route =>
  route({
    method: 'POST',
    path: '/v1/exchange/orders',
    scope: 'money',
    ...guarded,
    summary: 'Create an exchange order',
    description:
      'Holds the whole amount at once. With `minReceive` the exchange deals the whole order for at least that amount, or ' +
      'nothing. Without it a part may be dealt, and the rest of the hold is released. A dealt order is ' +
      '`awaiting_settlement` until the exchange has paid for it, then `completed`. The account transactions ' +
      '(`exchange_out`, `exchange_fee` where there is a fee, `exchange_in`) have the id of the order as `referenceId`. ' +
      '`Prefer: wait=N` waits until the exchange has dealt.',
    body: z.strictObject({
      fromAccountId: identifier('acc_01jz0000000000000000000000'),
      toAccountId: identifier('acc_01jz0000000000000000000001'),
      amount: amount(),
      minReceive: amount().optional(),
    }),
    response: exchangeOrderSchema,
    status: 201,
    idempotency: 'required',
    problems: ['account_closed', 'user_blocked', 'insufficient_funds'],
    settling: {
      read: async ({ caller }, id) =>
        exchangeOrderView(await requireExchangeOrder(services, caller.reach, id)),
      // The operator settles with the exchange.
      settled: ({ status }: { status: ExchangeOrderStatus }) =>
        isFinal(status) || status === 'awaiting_settlement',
    },
    async write(tx, request) {
      const key = { reach: request.caller.reach, ...operationKey(request) };
      const order = await createExchangeOrder(services, tx, request.body, key);
      const { id: subject, tenantId, status } = order.transfer;
      const action = 'exchange.orders.create';
      await auditAdmin(tx, { ...request, action, subject, tenantId, after: { status } });
      return exchangeOrderView(order);
    },
  });

const retrieval = (services: Services): Route =>
  route({
    method: 'GET',
    path: '/v1/exchange/orders/{orderId}',
    ...guarded,
    summary: 'Exchange order status',
    description: 'One of your orders. Available while the exchange is stopped.',
    response: exchangeOrderSchema,
    async read({ caller, params }) {
      return exchangeOrderView(await requireExchangeOrder(services, caller.reach, params['orderId'] ?? ''));
    },
  });
