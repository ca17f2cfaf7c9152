import { z } from 'zod';
import { type ApiRequest, type Route, route } from '../../http/route';
import { audit, auditAdmin } from '../../kernel/audit/audit';
import { deciderOf } from '../../kernel/caller';
import { text } from '../../kernel/wire/schemas';
import type { Services } from '../../services';
import { requireUser } from '../users/operations';
import { kycDocumentRoutes } from './documents/routes';
import { decideKyc, readKyc, setNotes, submitKyc } from './operations';
import { KYC_DECISIONS } from './record';
import { isAutomatic } from './review';
import { kycSchema, kycView } from './view';

const TAG = 'KYC';

/** Fields of a user's KYC that hold personal data. */
const PERSONAL = ['reason', 'notes'] as const;

const personOf = ({ userId }: Record<string, unknown>): string => userId as string;

/** Routes of KYC (`interface.md 4.1`; decisions part 4, Users' KYC). */
export function kycRoutes(services: Services): Route[] {
  return [
    statusRoute(services),
    ...kycDocumentRoutes(services),
    notesRoute(services),
    decisionRoute(services),
    submitRoute(services),
  ];
}

function statusRoute(services: Services): Route {
  const { database } = services;
  return route({
    method: 'GET',
    path: '/v1/users/{id}/kyc',
    tag: TAG,
    summary: 'User KYC status',
    description: 'Returns the progress of the review and the operator’s reason for the client.',
    response: kycSchema,
    personal: PERSONAL,
    read: async ({ caller, params }) =>
      kycView(await readKyc(services, database, caller.reach, params['id'] ?? ''), caller),
  });
}

function submitRoute(services: Services): Route {
  const { database } = services;
  return route({
    method: 'POST',
    path: '/v1/users/{id}/kyc/submit',
    scope: 'cards',
    tag: TAG,
    summary: 'Submit KYC for review',
    description:
      'Submits the documents to a review, which an operator ends. Needs `idFrontImg` and `idHoldImg`, and `idBackImg` unless ' +
      "the user's `idType` is PASSPORT. In the sandbox the review ends by itself where the tenant's setting `kycReview` is " +
      '`auto`. The `idNo` then decides: KYC-REJECT is `rejected`, KYC-RESUBMIT is `resubmission_required`, any other is `completed`.',
    body: z.strictObject({}),
    response: kycSchema,
    personal: PERSONAL,
    personOf,
    problems: ['documents_missing', 'invalid_transition'],
    settling: {
      read: async ({ caller, params }: ApiRequest) =>
        kycView(await readKyc(services, database, caller.reach, params['id'] ?? ''), caller),
      settled: ({ status }: { status: string }) => status !== 'in_review',
      async awaitsPerson({ caller, params }) {
        const user = await requireUser(database, caller.reach, params['id'] ?? '');
        return !(await isAutomatic(services, database, user.tenantId));
      },
    },
    async write(tx, { caller, params, requestId, idempotencyKey }) {
      const userId = params['id'] ?? '';
      const kyc = await submitKyc(services, tx, { reach: caller.reach, userId, idempotencyKey });
      const { id: subject, tenantId, kycStatus: status } = kyc.user;
      await auditAdmin(tx, { caller, requestId, action: 'kyc.submit', subject, tenantId, after: { status } });
      return kycView(kyc, caller);
    },
  });
}

function decisionRoute(services: Services): Route {
  return route({
    method: 'PATCH',
    path: '/v1/users/{id}/kyc/status',
    scope: 'cards',
    tag: TAG,
    summary: 'Update user KYC status',
    description: 'Ends a review, or corrects its decision. The client can read the reason.',
    role: 'admin',
    permission: 'review',
    body: z.strictObject({ status: z.enum(KYC_DECISIONS), reason: text(500).optional() }),
    response: kycSchema,
    personal: PERSONAL,
    personOf,
    problems: ['invalid_transition'],
    async write(tx, { caller, params, body: { status: decision, reason }, requestId }) {
      const userId = params['id'] ?? '';
      const decidedBy = deciderOf(caller);
      const { before, after } = await decideKyc(services, tx, {
        reach: caller.reach,
        userId,
        decision,
        reason,
        decidedBy,
      });
      await audit(tx, {
        caller,
        requestId,
        action: 'kyc.status',
        subject: after.user.id,
        tenantId: after.user.tenantId,
        before: { status: before },
        after: { status: after.user.kycStatus },
      });
      return kycView(after, caller);
    },
  });
}

/** A text of several lines without NUL, which Postgres refuses. */
const notes = z
  .string()
  .max(5_000)
  .refine((value) => !value.includes('\0'), 'must not contain NUL');

function notesRoute(services: Services): Route {
  return route({
    method: 'PATCH',
    path: '/v1/users/{id}/kyc/notes',
    scope: 'cards',
    tag: TAG,
    summary: 'Update KYC notes',
    description: 'Replaces the notes, which only operators can read.',
    role: 'admin',
    permission: 'review',
    body: z.strictObject({ notes }),
    response: kycSchema,
    personal: PERSONAL,
    personOf,
    problems: ['invalid_transition'],
    async write(tx, { caller, params, body, requestId }) {
      const kyc = await setNotes(services, tx, caller.reach, params['id'] ?? '', body.notes);
      const { id: subject, tenantId } = kyc.user;
      // The audit log gets the length only, because notes may hold personal data.
      const after = { length: body.notes.length };
      await audit(tx, { caller, requestId, action: 'kyc.notes', subject, tenantId, after });
      return kycView(kyc, caller);
    },
  });
}
