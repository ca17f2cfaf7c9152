import { z } from 'zod';
import { requireAccount } from '../../../accounts/accounts/operations';
import { type Route, route } from '../../../http/route';
import { auditAdmin } from '../../../kernel/audit/audit';
import { operationKey } from '../../../kernel/idempotency';
import { idPage, pageById } from '../../../kernel/wire/id-pages';
import { idFilter, pageQuery, pageSchema } from '../../../kernel/wire/pages';
import { amount, currency, identifier } from '../../../kernel/wire/schemas';
import type { Services } from '../../../services';
import { isSettled, PAYOUT_STATUSES } from '../../payouts/record';
import { createWithdrawal, listWithdrawals, requireWithdrawal } from './create';
import { exchangeWithdrawalSchema, exchangeWithdrawalView } from './view';

const guarded = { tag: 'Exchange', capability: 'exchange', party: 'exchange' } as const;

/** Withdrawals of fiat (`interface.md 4.1`, Exchange). */
export const withdrawalRoutes = (services: Services): Route[] => [
  listRoute(services),
  creationRoute(services),
  retrievalRoute(services),
];

function listRoute(services: Services): Route {
  return route({
    ...guarded,
    method: 'GET',
    path: '/v1/exchange/withdrawals',
    summary: 'List fiat withdrawals',
    description:
      'Your withdrawals, newest first. Destinations are masked. Available while the exchange is stopped.',
    query: z.object({
      ...pageQuery,
      status: z.enum(PAYOUT_STATUSES).optional(),
      accountId: idFilter('acc_01jz0000000000000000000000'),
      currency: currency().optional(),
    }),
    response: pageSchema(exchangeWithdrawalSchema),
    async read({ caller: { tenantId }, query }) {
      const { page, limit, filter } = idPage(query, 'exchangeWithdrawal');
      const found = await listWithdrawals(services, { tenantId, ...filter }, page);
      return pageById(found.map(exchangeWithdrawalView), limit, (view) => view);
    },
  });
}

function creationRoute(services: Services): Route {
  return route({
    ...guarded,
    method: 'POST',
    path: '/v1/exchange/withdrawals',
    scope: 'money',
    summary: 'Create a fiat withdrawal',
    description:
      'Withdraws to one of your destinations, in its currency. Amount and fee are held at once and debited when the ' +
      'withdrawal is `sent`. Above your threshold an operator approves the withdrawal first. The account transactions have the ' +
      'id of the withdrawal as `referenceId`. `Prefer: wait=N` waits for the end, or until an operator must approve.',
    body: z.strictObject({
      accountId: identifier('acc_01jz0000000000000000000000'),
      destinationId: identifier('wdd_01jz0000000000000000000000'),
      amount: amount(),
    }),
    response: exchangeWithdrawalSchema,
    status: 201,
    idempotency: 'required',
    problems: ['invalid_transition', 'account_closed', 'user_blocked', 'insufficient_funds'],
    settling: {
      read: ({ caller }, id) => readWithdrawal(services, caller.reach, id),
      settled: isSettled,
    },
    async write(tx, request) {
      const key = { reach: request.caller.reach, ...operationKey(request) };
      const made = exchangeWithdrawalView(await createWithdrawal(services, tx, request.body, key));
      const { id: subject, accountId, status } = made;
      const { tenantId } = await requireAccount(tx, null, accountId);
      const after = { status };
      await auditAdmin(tx, { ...request, action: 'exchange.withdraw', subject, tenantId, after });
      return made;
    },
  });
}

function retrievalRoute(services: Services): Route {
  return route({
    ...guarded,
    method: 'GET',
    path: '/v1/exchange/withdrawals/{withdrawalId}',
    summary: 'Withdrawal status',
    description:
      'One of your withdrawals. The destination is masked. Available while the exchange is stopped.',
    response: exchangeWithdrawalSchema,
    read: ({ params, caller }) => readWithdrawal(services, caller.reach, params['withdrawalId'] ?? ''),
  });
}

const readWithdrawal = async (services: Services, reach: string | null, id: string) =>
  exchangeWithdrawalView(await requireWithdrawal(services, reach, id));
