import { z } from 'zod';
import { historyPage, historyQuery } from '../accounts/history';
import { accountRecords, accountSchema, accountTransactionSchema } from '../accounts/record';
import { listUserAccounts } from '../accounts/store';
import { auditAdmin } from '../api/audit';
import { afterId, pageById } from '../api/id-pages';
import { pageQuery, pageSchema } from '../api/pages';
import { Reply, type Route, route } from '../api/route';
import { currency, identifier, text } from '../api/schemas';
import { setUserBin } from '../bins/operations';
import type { Services } from '../composition';
import { metaSchema } from './meta';
import { createUser, openAccountOfUser, patchMeta, requireUser, setUserStatus } from './operations';
import { userRecord, userSchema } from './record';
import { KYC_STATUSES, listUsers, USER_STATUSES } from './store';

const TAG = 'Users';

/** The users' own endpoints (`interface.md 4.1`, Users; decisions part 4). */
export function userRoutes(services: Services): Route[] {
  return [...recordRoutes(services), historyRoute(services), ...grantRoutes()];
}

function recordRoutes({ database }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/users',
      tag: TAG,
      summary: 'List users',
      query: z.object({
        ...pageQuery,
        status: z.enum(USER_STATUSES).optional(),
        kycStatus: z.enum(KYC_STATUSES).optional(),
        externalId: text(100).optional(),
      }),
      response: pageSchema(userSchema),
      async read({ caller, query: { limit, cursor, ...filter } }) {
        const after = afterId(cursor, 'user');
        return pageById(
          await listUsers(database, caller.tenantId, filter, after, limit + 1),
          limit,
          userRecord,
        );
      },
    }),
    route({
      method: 'POST',
      path: '/v1/users',
      tag: TAG,
      summary: 'Create a user',
      description: 'meta is stored as given; it is validated when a cardholder is created from it.',
      body: z.strictObject({ externalId: text(100).min(1).optional(), meta: metaSchema().optional() }),
      response: userSchema,
      status: 201,
      problems: ['ErrAlreadyExists'],
      async write(tx, { caller, body, requestId }) {
        const user = await createUser(tx, caller.tenantId, body);
        const { id: subject, tenantId } = user;
        await auditAdmin(tx, { caller, requestId, action: 'users.create', subject, tenantId });
        return userRecord(user);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/users/{id}',
      tag: TAG,
      summary: 'User by id',
      response: userSchema,
      read: async ({ caller, params }) =>
        userRecord(await requireUser(database, caller.reach, params['id'] ?? '')),
    }),
    route({
      method: 'PATCH',
      path: '/v1/users/{id}',
      tag: TAG,
      summary: "Update a user's meta",
      description: 'Merges meta field by field: null removes a field, what is absent stays.',
      body: z.strictObject({ meta: metaSchema() }),
      response: userSchema,
      async write(tx, { caller, params, body, requestId }) {
        const { after } = await patchMeta(tx, caller.reach, params['id'] ?? '', body.meta);
        const { id: subject, tenantId } = after;
        // The values are personal data; which fields were written is enough to know who to ask.
        const written = { fields: Object.keys(body.meta) };
        await auditAdmin(tx, {
          caller,
          requestId,
          action: 'users.update',
          subject,
          tenantId,
          after: written,
        });
        return userRecord(after);
      },
    }),
    route({
      method: 'PATCH',
      path: '/v1/users/{id}/status',
      tag: TAG,
      summary: 'Update user status',
      description: "A blocked user's cards decline, and nothing new is issued or funded.",
      body: z.strictObject({ status: z.enum(USER_STATUSES), reason: text(500).optional() }),
      response: userSchema,
      async write(tx, { caller, params, body, requestId }) {
        const { before, after } = await setUserStatus(
          tx,
          caller.reach,
          params['id'] ?? '',
          body.status,
          body.reason,
        );
        await auditAdmin(tx, {
          caller,
          requestId,
          action: 'users.status',
          subject: after.id,
          tenantId: after.tenantId,
          before: { status: before.status, reason: before.statusReason },
          after: { status: after.status, reason: after.statusReason },
        });
        return userRecord(after);
      },
    }),
  ];
}

function historyRoute({ database }: Services): Route {
  return route({
    method: 'GET',
    path: '/v1/users/{id}/account/transactions',
    tag: TAG,
    summary: 'User account transactions',
    description:
      "The transactions of all the user's accounts, newest first; from is inclusive, to exclusive.",
    query: z.object(historyQuery),
    response: pageSchema(accountTransactionSchema),
    async read({ caller, params, query }) {
      const user = await requireUser(database, caller.reach, params['id'] ?? '');
      const accounts = await listUserAccounts(database, user.id);
      return historyPage(
        database,
        accounts.map(({ id }) => id),
        query,
      );
    },
  });
}

/** What a user is given: accounts and BINs. */
function grantRoutes(): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/users/{id}/accounts',
      tag: TAG,
      summary: 'Open a user account in another currency',
      description: '201 with the new account, 200 with the one that exists in that currency.',
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
        const [record] = await accountRecords(tx, [account]);
        if (!opened) return new Reply(200, record);
        const { id: subject, tenantId } = account;
        await auditAdmin(tx, { caller, requestId, action: 'users.open-account', subject, tenantId });
        return record;
      },
    }),
    route({
      method: 'POST',
      path: '/v1/users/{id}/bins',
      tag: TAG,
      summary: 'Upsert user BIN',
      description:
        'Enables (the default) or disables a BIN for a user: 201 when the user had no setting for it yet, else 200.',
      body: z.strictObject({ bin: identifier('44112200'), enabled: z.boolean().default(true) }),
      response: z.object({ userId: z.string(), bin: z.string(), enabled: z.boolean() }),
      status: 201,
      mayExist: true,
      async write(tx, { caller, params, body: { bin, enabled }, requestId }) {
        const user = await requireUser(tx, caller.reach, params['id'] ?? '', undefined, 'share');
        const created = await setUserBin(tx, user, bin, enabled);
        await auditAdmin(tx, {
          caller,
          requestId,
          action: 'users.set-bin',
          subject: user.id,
          tenantId: user.tenantId,
          after: { bin, enabled },
        });
        return new Reply(created ? 201 : 200, { userId: user.id, bin, enabled });
      },
    }),
  ];
}
