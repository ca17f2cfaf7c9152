import { z } from 'zod';
import { type ApiRequest, type Route, route, type Settling } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import type { Tx } from '../../kernel/db/database';
import { isId } from '../../kernel/ids';
import { amount, identifier, text } from '../../kernel/wire/schemas';
import { requireOperation } from '../buffered/operations';
import type { CardOperation, OperationStatus } from '../buffered/record';
import { isFinal } from '../buffered/rules';
import { audited } from '../cards/audit';
import { requireCard } from '../cards/operations';
import { idIn } from '../cards/routes';
import { freezeCard } from '../events/operations';
import type { CardServices } from '../services';
import { acceptClosure, acceptIssue, acceptTopup, acceptWithdrawal, type OperationCall } from './accept';
import {
  acceptedSchema,
  acceptedView,
  bufferedCard,
  bufferedCardSchema,
  operationSchema,
  operationView,
} from './view';

const tag = 'Cards';
const capability = 'card_issuing';
const NOT_USABLE = ['card_not_active', 'card_closed'];
const quoteId = identifier('quo_01jz0000000000000000000000');

/**
 * Routes of cards with a buffer. A request is accepted at once, and a workflow carries it out (`interface.md 4.1`,
 * Cards).
 */
export function bufferedCardRoutes(services: CardServices): Route[] {
  return [
    acceptIssueRoute(services),
    operationRoute(services),
    readRoute(services),
    topupRoute(services),
    withdrawRoute(services),
    closeRoute(services),
    ...freezing(services),
  ];
}

const callOf = ({ caller, idempotencyKey }: ApiRequest): OperationCall => ({
  reach: caller.reach,
  callerId: caller.tenantId,
  idempotencyKey: idempotencyKey ?? null,
});

/** Lets `Prefer: wait=N` wait until the operation has ended. */
const settlingOf = ({ database }: CardServices): Settling => ({
  idField: 'operationId',
  read: async ({ caller }, id) => acceptedView(await requireOperation(database, caller.reach, id)),
  settled: ({ status }: { status: OperationStatus }) => isFinal(status),
});

/** The response for a new operation. An admin's call is recorded in the audit log. */
async function begun(tx: Tx, request: ApiRequest, operation: CardOperation) {
  const { id: subject, tenantId, type, status, cardId } = operation;
  const after = { status, cardId };
  await auditAdmin(tx, { ...request, action: `cards.operations.${type}`, subject, tenantId, after });
  return acceptedView(operation);
}

function acceptIssueRoute(services: CardServices): Route {
  return route({
    method: 'POST',
    path: '/v2/cards',
    scope: 'cards',
    tag,
    capability,
    summary: 'Issue a card with a buffer',
    description:
      'The card is `pending` while its total debit is held. The operation ends when the processor has decided. ' +
      '`Prefer: wait=N` waits for that.',
    body: z.strictObject({ quoteId, label: text(100).optional() }),
    response: acceptedSchema,
    status: 202,
    settling: settlingOf(services),
    idempotency: 'required',
    problems: [
      ...['quote_used', 'quote_expired', 'user_blocked', 'cardholder_not_approved', 'bin_closed'],
      ...['account_closed', 'limit_exceeded', 'insufficient_funds'],
    ],
    write: async (tx, request) =>
      begun(tx, request, await acceptIssue(services, tx, request.body, callOf(request))),
  });
}

function operationRoute({ database }: CardServices): Route {
  return route({
    method: 'GET',
    path: '/v2/cards/operations/{operation_id}',
    tag,
    summary: 'An operation on a card with a buffer',
    description:
      'A `completed` operation has `result`: the amounts that moved and the ids of the transactions. A `failed` operation has `failure`; its hold is released.',
    response: operationSchema,
    async read({ params: { operation_id = '' }, caller }) {
      const id = isId('cardOperation', operation_id) ? operation_id : '';
      return operationView(await requireOperation(database, caller.reach, id));
    },
  });
}

function readRoute({ database }: CardServices): Route {
  return route({
    method: 'GET',
    path: '/v2/cards/{id}',
    tag,
    summary: 'A card with its buffer',
    description: '`balance` is what the card can spend. `buffer` covers forced settlements only.',
    response: bufferedCardSchema,
    read: async (request) =>
      bufferedCard(database, await requireCard(database, request.caller.reach, idIn(request))),
  });
}

function topupRoute(services: CardServices): Route {
  return route({
    method: 'POST',
    path: '/v2/cards/{id}/topup',
    scope: 'cards',
    tag,
    capability,
    summary: 'Top up a card with a buffer',
    description: 'The total debit is held on the account until the operation has ended.',
    body: z.strictObject({ quoteId }),
    response: acceptedSchema,
    status: 202,
    settling: settlingOf(services),
    idempotency: 'required',
    problems: [
      ...NOT_USABLE,
      ...['user_blocked', 'quote_used', 'quote_expired', 'account_closed', 'insufficient_funds'],
    ],
    async write(tx, request) {
      const asked = { cardId: idIn(request), ...request.body };
      return begun(tx, request, await acceptTopup(services, tx, asked, callOf(request)));
    },
  });
}

function withdrawRoute(services: CardServices): Route {
  return route({
    method: 'POST',
    path: '/v2/cards/{id}/withdraw',
    scope: 'cards',
    tag,
    summary: 'Withdraw from a card with a buffer',
    description:
      'The money moves when the withdrawal is accepted. An amount above the card’s balance is refused.',
    body: z.strictObject({ amount: amount() }),
    response: acceptedSchema,
    status: 202,
    settling: settlingOf(services),
    idempotency: 'required',
    problems: [...NOT_USABLE, 'insufficient_funds'],
    async write(tx, request) {
      const asked = { cardId: idIn(request), ...request.body };
      return begun(tx, request, await acceptWithdrawal(services, tx, asked, callOf(request)));
    },
  });
}

function closeRoute(services: CardServices): Route {
  return route({
    method: 'DELETE',
    path: '/v2/cards/{id}',
    scope: 'cards',
    tag,
    summary: 'Close a card with a buffer',
    description:
      'The card is `closing` and declines every authorization. When the processor confirms, the balances of the card and of its ' +
      'buffer return to the account. A repeated request returns the same operation. `Prefer: wait=N` waits until it has ended.',
    response: acceptedSchema,
    status: 202,
    settling: settlingOf(services),
    problems: NOT_USABLE,
    write: async (tx, request) =>
      begun(tx, request, await acceptClosure(services, tx, idIn(request), callOf(request))),
  });
}

function freezing(services: CardServices): Route[] {
  const turn = (type: 'freeze' | 'unfreeze', summary: string, description: string, problems: string[]) =>
    route({
      method: 'POST',
      path: `/v2/cards/{id}/${type}`,
      scope: 'cards',
      tag,
      summary,
      description,
      body: z.strictObject({ reason: z.enum(['manual', 'insufficient_funds']) }),
      response: bufferedCardSchema,
      problems: [...NOT_USABLE, ...problems],
      async write(tx, request) {
        const id = idIn(request);
        const freeze = () => freezeCard(services, tx, type, id, request, request.body.reason);
        return bufferedCard(tx, await audited(tx, request, `cards.${type}`, id, freeze));
      },
    });
  return [
    turn(
      'freeze',
      'Freeze with a manual or insufficient-funds reason, preserving buffer and other blocks',
      'A card stays frozen while it has any reason. `insufficient_funds` stays until it is removed or the card is funded.',
      [],
    ),
    turn(
      'unfreeze',
      'Remove the manual or insufficient-funds freeze reason',
      'A card below zero stays frozen for `insufficient_funds`.',
      ['invalid_transition'],
    ),
  ];
}
