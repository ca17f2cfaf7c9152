import { z } from 'zod';
import { requireAccount } from '../../accounts/accounts/operations';
import { type ApiRequest, type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import type { Sql } from '../../kernel/db/database';
import { operationKey } from '../../kernel/idempotency';
import { idPage, pageById } from '../../kernel/wire/id-pages';
import { pageQuery, pageSchema, whole } from '../../kernel/wire/pages';
import { amount, currency, identifier, text } from '../../kernel/wire/schemas';
import { PAYOUT_METHODS } from '../../parties/payouts/port';
import type { Services } from '../../services';
import { createPayout, listPayouts, requirePayout } from './create';
import { destinationSchema } from './destinations/destination';
import { payoutKind } from './kind';
import { payoutOptions, quotePayout } from './operations';
import { isSettled, PAYOUT_STATUSES } from './record';
import {
  payoutOptionSchema,
  payoutOptionView,
  payoutQuoteSchema,
  payoutQuoteView,
  payoutSchema,
  payoutView,
} from './view';

const tag = 'Payouts';

/** `interface.md 4.1`, Payouts. */
export function payoutRoutes(services: Services): Route[] {
  return [
    optionsRoute(services),
    quoteRoute(services),
    listRoute(services),
    createRoute(services),
    readRoute(services),
  ];
}

/** The account of the path. @throws Problem 404 */
const accountIn = (sql: Sql, { params, caller }: Pick<ApiRequest, 'params' | 'caller'>) =>
  requireAccount(sql, caller.reach, params['accountId'] ?? '');

function optionsRoute({ database }: Services): Route {
  return route({
    method: 'GET',
    path: '/v2/accounts/{accountId}/payout-options',
    tag,
    capability: 'payout',
    summary: 'Payout options of an account',
    description: 'The methods that a payout may take, with their fees and limits.',
    response: pageSchema(payoutOptionSchema),
    async read(request) {
      const { tenantId } = await accountIn(database, request);
      return whole((await payoutOptions(database, tenantId)).map(payoutOptionView));
    },
  });
}

function quoteRoute(services: Services): Route {
  return route({
    method: 'POST',
    path: '/v2/accounts/{accountId}/payout-quote',
    scope: 'money',
    tag,
    capability: 'payout',
    summary: 'Price a payout without creating it',
    description:
      'The amount leaves the account in its currency, and the fee comes on top. Without `currency` the destination receives ' +
      "the account's currency, or the only currency of the method. A quote is valid for five minutes.",
    body: z.strictObject({
      method: z.enum(PAYOUT_METHODS),
      amount: amount(),
      currency: currency().optional(),
    }),
    response: payoutQuoteSchema,
    status: 201,
    problems: ['unavailable'],
    prepare: () => services.parties.rates.ready(),
    async write(tx, request) {
      const account = await accountIn(tx, request);
      return payoutQuoteView(await quotePayout(services, tx, account, request.body));
    },
  });
}

function listRoute(services: Services): Route {
  return route({
    method: 'GET',
    path: '/v2/accounts/{accountId}/payouts',
    tag,
    capability: 'payout',
    summary: 'List payouts',
    description: 'Newest first. Destinations are masked.',
    query: z.object({
      ...pageQuery,
      status: z.enum(PAYOUT_STATUSES).optional(),
      method: z.enum(PAYOUT_METHODS).optional(),
      currency: currency().optional(),
      externalId: text(200).optional(),
    }),
    response: pageSchema(payoutSchema),
    personal: ['destination'],
    permission: 'view',
    async read(request) {
      const { id: accountId } = await accountIn(services.database, request);
      const { page, limit, filter } = idPage(request.query, 'payout');
      const found = await listPayouts(services, { accountId, ...filter }, page);
      return pageById(found.map(payoutView), limit, (view) => view);
    },
  });
}

function createRoute(services: Services): Route {
  return route({
    method: 'POST',
    path: '/v2/accounts/{accountId}/payouts',
    scope: 'money',
    tag,
    capability: 'payout',
    summary: 'Create a payout',
    description:
      'Amount and fee are held at once and debited when the payout is `sent`. Above your threshold an operator approves the ' +
      'payout first. A payout to a new destination may wait too, and `description` says until when. The account transactions have the id of the payout as `referenceId`. `Prefer: wait=N` waits for the end, ' +
      'or until an operator must approve.',
    body: z.strictObject({
      quoteId: identifier('quo_01jz0000000000000000000000'),
      destination: destinationSchema,
      externalId: text(200).min(1, 'must not be empty').optional(),
    }),
    response: payoutSchema,
    personal: ['destination'],
    personBefore: async (request, sql) => (await accountIn(sql, request)).userId,
    status: 201,
    idempotency: 'required',
    problems: [
      'ErrAlreadyExists',
      'quote_used',
      'quote_expired',
      'account_closed',
      'user_blocked',
      'insufficient_funds',
    ],
    settling: {
      read: (request, id) => readPayout(services, request, id),
      settled: isSettled,
    },
    async write(tx, request) {
      const account = await accountIn(tx, request);
      const made = payoutView(await createPayout(services, tx, account, request.body, operationKey(request)));
      const { id: subject, status } = made;
      const { tenantId } = account;
      await auditAdmin(tx, { ...request, action: 'payouts.create', subject, tenantId, after: { status } });
      return made;
    },
  });
}

function readRoute(services: Services): Route {
  return route({
    method: 'GET',
    path: '/v2/accounts/{accountId}/payouts/{payoutId}',
    tag,
    capability: 'payout',
    summary: 'A payout',
    description: 'The destination is masked.',
    response: payoutSchema,
    personal: ['destination'],
    permission: 'view',
    read: (request) => readPayout(services, request, request.params['payoutId'] ?? ''),
  });
}

async function readPayout(services: Services, request: Pick<ApiRequest, 'params' | 'caller'>, id: string) {
  const account = await accountIn(services.database, request);
  return payoutView(
    await requirePayout(services, payoutKind, { id, accountId: account.id, reach: request.caller.reach }),
  );
}
