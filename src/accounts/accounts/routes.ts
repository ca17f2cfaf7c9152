import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { balancesAt, readBalances } from '../../kernel/ledger/accounts';
import { assertInBooks } from '../../kernel/ledger/checkpoints';
import { formatAmount } from '../../kernel/money/money';
import { idPage, pageById } from '../../kernel/wire/id-pages';
import { idFilter, pageQuery, pageSchema } from '../../kernel/wire/pages';
import { currency, instant, moment, money } from '../../kernel/wire/schemas';
import { adminAccountRoutes } from './admin-routes';
import { historyPage, historyQuery } from './history';
import { mixedHistoryItem, mixedHistoryPage, mixedHistoryQuery } from './mixed-history';
import { requireReadableAccount } from './operations';
import { ACCOUNT_STATUSES, OWNER_TYPES } from './record';
import type { AccountServices } from './services';
import { listAccounts } from './store';
import { transferRoute } from './transfer-routes';
import { accountSchema, accountTransactionSchema, accountViews } from './view';

const TAG = 'Accounts';

/** Filters of a list of accounts. */
export const accountListQuery = z.object({
  ...pageQuery,
  currency: currency().optional(),
  status: z.enum(ACCOUNT_STATUSES).optional(),
  ownerType: z.enum(OWNER_TYPES).optional(),
  userId: idFilter('usr_01h455vb4pex5vsknk084sn02q'),
});

/** Routes of accounts (`interface.md 4.1`, Accounts; decisions part 4). */
export function accountRoutes(services: AccountServices): Route[] {
  return [
    listRoute(services),
    ...adminAccountRoutes(services),
    historyRoute(services),
    mixedHistoryRoute(services),
    balanceRoute(services),
    transferRoute(),
  ];
}

function listRoute({ database }: AccountServices): Route {
  return route({
    method: 'GET',
    path: '/v1/accounts',
    tag: TAG,
    summary: 'List accounts and balances',
    description: 'Lists your accounts and those of your users, newest first, each with its current balance.',
    query: accountListQuery,
    response: pageSchema(accountSchema),
    async read({ caller, query }) {
      const { page, limit, filter } = idPage(query, 'account');
      const accounts = await listAccounts(database, caller.tenantId, filter, page);
      return pageById(await accountViews(database, accounts), limit, (record) => record);
    },
  });
}

function historyRoute(services: AccountServices): Route {
  return route({
    method: 'GET',
    path: '/v1/accounts/{id}/transactions',
    tag: TAG,
    summary: 'Account transactions',
    description:
      'Lists account transactions, newest first. `balanceAfter` is the available balance after each. Accepts the `accountId` of ' +
      'your virtual IBAN too.',
    query: z.object(historyQuery),
    response: pageSchema(accountTransactionSchema),
    async read({ caller, params, query }) {
      const account = await requireReadableAccount(services, caller.reach, params['id'] ?? '');
      return historyPage(services, [account.id], query);
    },
  });
}

function mixedHistoryRoute(services: AccountServices): Route {
  return route({
    method: 'GET',
    path: '/v2/accounts/{id}/transactions',
    tag: TAG,
    summary: 'History of an account',
    description:
      'Lists the account transactions and the status changes of the deposits, payouts, card top-ups, card withdrawals and ' +
      'virtual-IBAN movements of the account, newest first. Items written while you page come before the first page, and no ' +
      'page misses any. A record and its account transactions share their `referenceId`. Status changes are kept since the ' +
      'release that introduced this list. Accepts the `accountId` of your virtual IBAN too.',
    query: mixedHistoryQuery,
    response: pageSchema(mixedHistoryItem(services)),
    async read({ caller, params, query }) {
      const account = await requireReadableAccount(services, caller.reach, params['id'] ?? '');
      return mixedHistoryPage(services, account.id, query);
    },
  });
}

function balanceRoute(services: AccountServices): Route {
  const { database } = services;
  return route({
    method: 'GET',
    path: '/v2/accounts/{accountId}/balance',
    tag: TAG,
    summary: 'Account balance',
    description:
      'Returns the current balance, or with `at` the balance at that past moment. A future `at` returns the current balance. ' +
      'Accepts the `accountId` of your virtual IBAN too. An `at` before the last archive of the books is a 400.',
    query: z.object({ at: moment().optional().describe('The moment of the balance; absent: now.') }),
    response: z
      .object({
        accountId: z.string(),
        currency: z.string(),
        available: money(),
        pending: money(),
        asOf: instant(),
      })
      .meta({ id: 'AccountBalance' }),
    async read({ caller, params, query: { at } }) {
      const account = await requireReadableAccount(services, caller.reach, params['accountId'] ?? '');
      const now = services.now();
      const past = at !== undefined && at < now ? at : undefined;
      if (past) await assertInBooks(database, past, 'at');
      const balance = past
        ? await balancesAt(database, account.id, past)
        : (await readBalances(database, [account.id])).get(account.id);
      if (!balance) throw new Error(`${account.id} has no ledger account`);
      return {
        accountId: account.id,
        currency: account.currency,
        available: formatAmount(balance.available, account.currency),
        pending: formatAmount(balance.pending, account.currency),
        asOf: (past ?? now).toISOString(),
      };
    },
  });
}
