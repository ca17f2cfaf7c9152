import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { idPage, pageById } from '../../kernel/wire/id-pages';
import { pageQuery, pageSchema } from '../../kernel/wire/pages';
import { text } from '../../kernel/wire/schemas';
import { metaSchema } from './meta';
import { createUser, patchMeta, requireUser, setUserStatus } from './operations';
import { KYC_STATUSES, USER_STATUSES } from './record';
import type { UserServices } from './services';
import { listUsers } from './store';
import { userSchema, userView } from './view';

const TAG = 'Users';

/** Fields of a user that hold personal data. */
const PERSONAL = ['externalId', 'statusReason', 'meta'] as const;

const personOf = ({ id }: Record<string, unknown>): string => id as string;

/** Routes of users (`interface.md 4.1`, Users; decisions part 4). */
export function userRoutes(services: UserServices): Route[] {
  return [
    listRoute(services),
    createRoute(services),
    readRoute(services),
    updateRoute(services),
    statusRoute(services),
  ];
}

function listRoute(services: UserServices): Route {
  const { database } = services;
  return route({
    method: 'GET',
    path: '/v1/users',
    tag: TAG,
    summary: 'List users',
    description: 'Lists users, newest first. `externalId` finds a user by your own id.',
    query: z.object({
      ...pageQuery,
      status: z.enum(USER_STATUSES).optional(),
      kycStatus: z.enum(KYC_STATUSES).optional(),
      externalId: text(100).optional(),
    }),
    response: pageSchema(userSchema),
    personal: PERSONAL,
    async read({ caller, query }) {
      const { page, limit, filter } = idPage(query, 'user');
      const found = await listUsers(database, caller.tenantId, filter, page);
      return pageById(found, limit, (user) => userView(services, user));
    },
  });
}

function createRoute(services: UserServices): Route {
  return route({
    method: 'POST',
    path: '/v1/users',
    scope: 'cards',
    tag: TAG,
    summary: 'Create a user',
    description:
      'Stores `meta` as given. The creation of a cardholder validates the fields that the BIN needs.',
    body: z.strictObject({ externalId: text(100).min(1).optional(), meta: metaSchema.optional() }),
    response: userSchema,
    personal: PERSONAL,
    personOf,
    status: 201,
    problems: ['ErrAlreadyExists'],
    async write(tx, { caller, body, requestId }) {
      const user = await createUser(services, tx, caller.tenantId, body);
      const { id: subject, tenantId } = user;
      await auditAdmin(tx, { caller, requestId, action: 'users.create', subject, tenantId });
      return userView(services, user);
    },
  });
}

function readRoute(services: UserServices): Route {
  return route({
    method: 'GET',
    path: '/v1/users/{id}',
    tag: TAG,
    summary: 'User by id',
    description: 'Returns the user with the stored `meta` and the KYC status.',
    response: userSchema,
    personal: PERSONAL,
    read: async ({ caller, params }) =>
      userView(services, await requireUser(services.database, caller.reach, params['id'] ?? '')),
  });
}

function updateRoute(services: UserServices): Route {
  return route({
    method: 'PATCH',
    path: '/v1/users/{id}',
    scope: 'cards',
    tag: TAG,
    summary: "Update a user's meta",
    description: 'Merges `meta` field by field. Null removes a field; absent fields are kept.',
    body: z.strictObject({ meta: metaSchema }),
    response: userSchema,
    personal: PERSONAL,
    personOf,
    problems: ['invalid_transition'],
    async write(tx, { caller, params, body, requestId, idempotencyKey }) {
      const by = { reach: caller.reach, idempotencyKey };
      const patched = await patchMeta(services, tx, caller.reach, params['id'] ?? '', body.meta);
      const after = await services.noteChangedFields(tx, patched.before, patched.after, by);
      const { id: subject, tenantId } = after;
      // The audit log gets only the names of the written fields, because the values are personal data.
      const written = { fields: Object.keys(body.meta) };
      await auditAdmin(tx, {
        caller,
        requestId,
        action: 'users.update',
        subject,
        tenantId,
        after: written,
      });
      return userView(services, after);
    },
  });
}

function statusRoute(services: UserServices): Route {
  return route({
    method: 'PATCH',
    path: '/v1/users/{id}/status',
    scope: 'cards',
    tag: TAG,
    summary: 'Update user status',
    description:
      "Blocks or unblocks the user. A blocked user's cards decline, and nothing new is issued or funded. The operator can block " +
      'the user as well: then `active` is refused, and the user stays blocked.',
    body: z.strictObject({ status: z.enum(USER_STATUSES), reason: text(500).optional() }),
    response: userSchema,
    personal: PERSONAL,
    personOf,
    problems: ['status_not_editable'],
    async write(tx, { caller, params, body, requestId }) {
      const { before, after } = await setUserStatus(
        services,
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
        before: { status: before.clientStatus, reason: before.statusReason },
        after: { status: after.clientStatus, reason: after.statusReason },
      });
      return userView(services, after);
    },
  });
}
