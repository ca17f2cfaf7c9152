import { z } from 'zod';
import { Reply, type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { pageSchema } from '../../kernel/wire/pages';
import { currency } from '../../kernel/wire/schemas';
import { requireUser } from '../../people/users/operations';
import { historyPage, historyQuery } from './history';
import { openAccountOfUser } from './operations';
import type { AccountServices } from './services';
import { listUserAccounts } from './store';
import { accountSchema, accountTransactionSchema, accountViews } from './view';

const TAG = 'Users';

/** Routes of users' accounts (`interface.md 4.1`, Users). */
export function userAccountRoutes(services: AccountServices): Route[] {
  return [historyRoute(services), openingRoute()];
}

function historyRoute(services: AccountServices): Route {
  const { database } = services;
  return route({
    method: 'GET',
    path: '/v1/users/{id}/account/transactions',
    tag: TAG,
    summary: 'User account transactions',
    description: 'Lists the transactions of all accounts of the user, newest first.',
    query: z.object(historyQuery),
    response: pageSchema(accountTransactionSchema),
    async read({ caller, params, query }) {
      const user = await requireUser(database, caller.reach, params['id'] ?? '');
      const accounts = await listUserAccounts(database, user.id);
      return historyPage(
        services,
        accounts.map(({ id }) => id),
        query,
      );
    },
  });
}

function openingRoute(): Route {
  return route({
    method: 'POST',
    path: '/v1/users/{id}/accounts',
    scope: 'cards',
    tag: TAG,
    summary: 'Open a user account in another currency',
    description: 'Answers 201 with the new account, or 200 with the existing account in the currency.',
    body: z.strictObject({ currency: currency() }),
    response: accountSchema,
    status: 201,
    mayExist: true,
    async write(tx, { caller, params, body, requestId }) {
      const { account, opened } = await openAccountOfUser(
        tx,
        caller.reach,
        params['id'] ?? '',
        body.currency,
      );
      const [record] = await accountViews(tx, [account]);
      if (!opened) return new Reply(200, record);
      const { id: subject, tenantId } = account;
      await auditAdmin(tx, { caller, requestId, action: 'users.open-account', subject, tenantId });
      return record;
    },
  });
}
