import { z } from 'zod';
import { type ApiRequest, type Route, route, type Settling } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import type { Tx } from '../../kernel/db/database';
import { invalid } from '../../kernel/errors';
import { META_WORDS } from '../users/meta-words';
import { type MetaField, PATCH_FIELDS } from './fields/validate';
import { requireCardholder } from './operations';
import { type CardholderStatus, isUnderReview } from './record';
import { isAutomatic } from './review/decision';
import type { CardholderServices } from './services';
import type { Change } from './transition';
import { resubmitCardholder, updateCardholder } from './update';
import { cardholderSchema, cardholderView } from './view';

const TAG = 'Cardholders';

/** Fields of a cardholder that hold personal data. */
export const PERSONAL = ['maskedName', 'maskedEmail'] as const;

/** The user of a cardholder. */
export const personOf = ({ userId }: Record<string, unknown>): string | null =>
  (userId as string | undefined) ?? null;

const PROBLEMS = [
  'ErrAlreadyExists',
  'kyc_not_completed',
  'documents_missing',
  'status_not_editable',
  'no_linked_user',
];

/** Routes that change or resubmit an existing cardholder (`interface.md 3.1`, 4.3). */
export function cardholderUpdateRoutes(services: CardholderServices): Route[] {
  return [
    updateRoute(services),
    resubmitRoute(services, 'retried', {
      path: '/v1/cardholders/{id}/retry',
      summary: 'Retry submission of a failed cardholder',
      description:
        'Moves a `submission_failed` cardholder to `wait_audit`, with the present data and documents of the user.',
    }),
    resubmitRoute(services, 'submitted', {
      path: '/v1/cardholders/{id}/submit',
      summary: 'Submit a cardholder to the provider',
      description:
        'Submits the present data and documents of the user. A `reject` cardholder becomes `wait_audit`. A `rejected_by_admin` ' +
        'or `pending_review` cardholder becomes `pending_review`, and the operator reviews it again.',
    }),
  ];
}

/** Lets `Prefer: wait=N` wait for the reviewer, and for the sandbox where it decides in place of an operator. */
export function settling(services: CardholderServices): Settling {
  const { database } = services;
  return {
    read: async ({ caller }, id) => cardholderView(await requireCardholder(database, caller.reach, id)),
    settled: ({ status }: { status: CardholderStatus }) => !isUnderReview(status),
    async awaitsPerson({ caller }, id) {
      const { status, tenantId } = await requireCardholder(database, caller.reach, id);
      return status === 'pending_review' && !(await isAutomatic(services, database, tenantId));
    },
  };
}

const patchFields = Object.fromEntries(
  PATCH_FIELDS.map((field) => [field, z.string().optional().describe(META_WORDS[field].words)] as const),
) as Record<MetaField, z.ZodOptional<z.ZodString>>;

function updateRoute(services: CardholderServices): Route {
  return route({
    method: 'PATCH',
    path: '/v1/cardholders/{id}',
    scope: 'cards',
    tag: TAG,
    summary: 'Update cardholder data',
    description:
      "Writes the fields to the linked user's meta. A `submission_failed` cardholder is submitted again at once and becomes " +
      '`wait_audit`. A `reject`, `rejected_by_admin` or `pending_review` cardholder keeps its status until it is submitted.',
    body: z.strictObject(patchFields).meta({ minProperties: 1 }),
    response: cardholderSchema,
    personal: PERSONAL,
    personOf,
    problems: PROBLEMS,
    settling: settling(services),
    async write(tx, request) {
      const fields = Object.keys(request.body);
      if (fields.length === 0) throw invalid('The body must have at least one field.');
      const given = { ...asked(request), patch: request.body };
      const changed = await updateCardholder(services, tx, given);
      return answer(tx, request, 'cardholders.update', changed, { fields });
    },
  });
}

function resubmitRoute(
  services: CardholderServices,
  on: 'retried' | 'submitted',
  told: { path: string; summary: string; description: string },
): Route {
  const action = on === 'retried' ? 'cardholders.retry' : 'cardholders.submit';
  return route({
    method: 'POST',
    scope: 'cards',
    ...told,
    tag: TAG,
    body: z.strictObject({}),
    response: cardholderSchema,
    personal: PERSONAL,
    personOf,
    problems: PROBLEMS,
    settling: settling(services),
    write: async (tx, request) =>
      answer(tx, request, action, await resubmitCardholder(services, tx, on, asked(request))),
  });
}

const asked = ({ caller, params, idempotencyKey }: ApiRequest) => ({
  reach: caller.reach,
  id: params['id'] ?? '',
  idempotencyKey,
});

async function answer(
  tx: Tx,
  { caller, requestId }: ApiRequest,
  action: string,
  { before, after }: Change,
  more: object = {},
) {
  const { id: subject, tenantId, status } = after;
  const states = { before: { status: before.status }, after: { status, ...more } };
  await auditAdmin(tx, { caller, requestId, action, subject, tenantId, ...states });
  return cardholderView(after);
}
