import { z } from 'zod';
import { Reply, type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { notFound } from '../../kernel/errors';
import { idPage, pageById } from '../../kernel/wire/id-pages';
import { idFilter, pageQuery, pageSchema } from '../../kernel/wire/pages';
import { identifier, text } from '../../kernel/wire/schemas';
import { requireUser } from '../users/operations';
import { createCardholder, requireCardholder } from './operations';
import { CARDHOLDER_STATUSES } from './record';
import type { CardholderServices } from './services';
import { findCardholderOfUser, listCardholders } from './store';
import { cardholderUpdateRoutes, PERSONAL, personOf, settling } from './update-routes';
import { cardholderSchema, cardholderView } from './view';

const TAG = 'Cardholders';

/** Routes of cardholders (`interface.md 4.1`, 4.2, 4.3; decisions part 4). */
export function cardholderRoutes(services: CardholderServices): Route[] {
  return [
    ofUserRoute(services),
    createRoute(services),
    listRoute(services),
    readRoute(services),
    ...cardholderUpdateRoutes(services),
  ];
}

function ofUserRoute({ database }: CardholderServices): Route {
  return route({
    method: 'GET',
    path: '/v1/users/{id}/cardholder',
    tag: 'Users',
    summary: 'User cardholder',
    description: "Returns the user's cardholder on a BIN; without `bin`, their newest cardholder.",
    query: z.object({ bin: text(20).optional() }),
    response: cardholderSchema,
    personal: PERSONAL,
    permission: 'view',
    async read({ caller, params, query: { bin } }) {
      const user = await requireUser(database, caller.reach, params['id'] ?? '');
      const cardholder = await findCardholderOfUser(database, user.id, bin);
      if (!cardholder) throw notFound('cardholder');
      return cardholderView(cardholder);
    },
  });
}

function createRoute(services: CardholderServices): Route {
  return route({
    method: 'POST',
    path: '/v1/users/{id}/cardholder',
    scope: 'cards',
    tag: 'Users',
    summary: 'Create cardholder',
    description:
      "Creates a cardholder from the user's meta. Answers 201 with the new cardholder, or 200 with the one that exists for the " +
      'user and BIN. On a B2B BIN it is `pass_audit` at once. On a B2C BIN it is `pending_review` until the operator has approved ' +
      'it, then `wait_audit` until the provider has decided. `Prefer: wait=N` waits for the decision.',
    body: z.strictObject({
      accountId: identifier('acc_01h455vb4pex5vsknk084sn02q'),
      bin: identifier('44112200'),
    }),
    response: cardholderSchema,
    personal: PERSONAL,
    personOf,
    status: 201,
    mayExist: true,
    problems: ['ErrAlreadyExists', 'kyc_not_completed', 'documents_missing', 'user_blocked', 'bin_closed'],
    settling: settling(services),
    async write(tx, { caller, params, body, requestId, idempotencyKey }) {
      const userId = params['id'] ?? '';
      const given = { reach: caller.reach, userId, ...body, idempotencyKey };
      const { cardholder, created } = await createCardholder(tx, services, given);
      if (!created) return new Reply(200, cardholderView(cardholder));
      const { id: subject, tenantId, status } = cardholder;
      const action = 'users.create-cardholder';
      await auditAdmin(tx, { caller, requestId, action, subject, tenantId, after: { status } });
      return cardholderView(cardholder);
    },
  });
}

function listRoute({ database }: CardholderServices): Route {
  return route({
    method: 'GET',
    path: '/v1/cardholders',
    tag: TAG,
    summary: 'List client cardholders',
    description: 'Lists the cardholders of all your users, newest first.',
    query: z.object({
      ...pageQuery,
      status: z.enum(CARDHOLDER_STATUSES).optional(),
      bin: text(20).optional(),
      userId: idFilter('usr_01h455vb4pex5vsknk084sn02q'),
    }),
    response: pageSchema(cardholderSchema),
    personal: PERSONAL,
    permission: 'view',
    async read({ caller, query }) {
      const { page, limit, filter } = idPage(query, 'cardholder');
      const rows = await listCardholders(database, caller.tenantId, filter, page);
      return pageById(rows, limit, cardholderView);
    },
  });
}

function readRoute({ database }: CardholderServices): Route {
  return route({
    method: 'GET',
    path: '/v1/cardholders/{id}',
    tag: TAG,
    summary: 'A cardholder',
    description:
      '`status` tells the progress of the review; `description` tells why the cardholder was rejected.',
    response: cardholderSchema,
    personal: PERSONAL,
    permission: 'view',
    read: async ({ caller, params }) =>
      cardholderView(await requireCardholder(database, caller.reach, params['id'] ?? '')),
  });
}
