import { z } from 'zod';
import { Reply, type Route, route } from '../../http/route';
import { identifier } from '../../kernel/wire/schemas';
import { listApprovals, requireApproval } from '../../process/approvals/operations';
import { approvalView } from '../../process/approvals/view';
import type { Decision } from '../../process/desk/decision';
import { type Approved, approve, proveApproval, reject } from '../approve';
import { decide, type Outcome, previewDecision, proveDecision } from '../decide';
import { askerOf, assertPermitted } from '../permitted';
import { reasonSchema } from '../reason';
import { schemaOf } from '../schema-of';
import type { DeskHttp } from './services';

const effect = z.object({ field: z.string(), from: z.string().nullable(), to: z.string().nullable() });

const approvalSchema = z
  .looseObject({
    id: z.string(),
    kind: z.string(),
    subject: z.string(),
    status: z.string(),
    changes: z.array(effect),
  })
  .meta({ id: 'Approval' });

const outcomeSchema = z.object({ result: z.looseObject({}) });
const askedSchema = z.looseObject({
  approval: approvalSchema,
  why: z.string().meta({ description: 'Why it takes two, in words. Empty where it always does.' }),
});

const previewSchema = z
  .object({
    version: z
      .string()
      .meta({ description: 'For the decision: it is refused where its subject has changed.' }),
    restsOn: z.looseObject({}),
    effects: z.array(effect),
    takesTwo: z.boolean(),
    why: z.string(),
  })
  .meta({ id: 'Preview' });

export const decisionRoutes = (desk: DeskHttp): Route[] => [
  ...[...desk.catalogue.decisions.values()].flatMap((decision) => [
    decideRoute(desk, decision),
    previewRoute(desk, decision),
  ]),
  ...approvalRoutes(desk),
];

/** The subject that a decision is about. It is left out where there is only one. */
const subjectOf = ({ subject: { only } }: Decision) => {
  const id = identifier('pay_01jz0000000000000000000000');
  return only === undefined ? id : id.default(only);
};

function decideRoute(desk: DeskHttp, decision: Decision): Route {
  const { name, title, input, reason, secret, permission } = decision;
  return route({
    method: 'POST',
    path: `/desk/v1/decisions/${name}`,
    role: 'operator',
    tag: 'Decisions',
    summary: title,
    description: 'Answers 202 with an approval when another operator must approve it.',
    body: z.strictObject({
      subject: subjectOf(decision),
      input: given(input),
      reason: reason === 'optional' ? reasonSchema.optional() : reasonSchema,
      version: z.string().max(5_000).optional(),
    }),
    response: outcomeSchema,
    awaitsApproval: askedSchema,
    problems: ['not_found', 'forbidden', 'version_conflict', 'invalid_transition', 'limit_exceeded'],
    // An answer with a secret is not kept.
    idempotency: secret ? 'ignored' : 'required',
    async prepare({ caller, body }) {
      // A party is asked only for an operator who may decide.
      assertPermitted(caller, permission);
      return proveDecision(desk, { name, ...body });
    },
    write: async (tx, request, proof) =>
      outcomeReply(await decide(desk, tx, askerOf(request), { name, ...request.body, proof })),
  });
}

/**
 * The input as JSON, unparsed: it is parsed under the lock of the subject, and a stored approval keeps it as given. The
 * input may be absent where the decision has no required field.
 */
function given(input: z.ZodType) {
  const object = z.looseObject({});
  const schema: z.ZodType<Record<string, unknown>> = input.safeParse({}).success
    ? object.default({})
    : object;
  // A function, because only the document asks for it.
  return schema.meta({
    override: ({ jsonSchema }: { jsonSchema: object }) =>
      void Object.assign(jsonSchema, structuredClone(schemaOf(input))),
  });
}

function outcomeReply(outcome: Outcome): unknown {
  if ('result' in outcome) return outcome;
  const { approval, why, shown } = outcome;
  return new Reply(202, { approval: approvalView(approval), why, ...shown });
}

function previewRoute(desk: DeskHttp, decision: Decision): Route {
  const { name, title, input, permission } = decision;
  return route({
    method: 'POST',
    path: `/desk/v1/decisions/${name}/preview`,
    role: 'operator',
    tag: 'Decisions',
    summary: `Preview: ${title}`,
    description: 'Changes nothing.',
    body: z.strictObject({ subject: subjectOf(decision), input: given(input) }),
    response: previewSchema,
    problems: ['not_found', 'forbidden', 'invalid_transition', 'limit_exceeded'],
    async read(request) {
      assertPermitted(request.caller, permission);
      const asked = { name, ...request.body };
      const proof = await proveDecision(desk, asked);
      return desk.database.transaction((tx) =>
        previewDecision(desk, tx, askerOf(request), { ...asked, proof }),
      );
    },
  });
}

const LISTED = 200;

function approvalRoutes(desk: DeskHttp): Route[] {
  const { database } = desk;
  const decided = z.object({ approval: approvalSchema, result: z.looseObject({}).optional() });
  return [
    route({
      method: 'GET',
      path: '/desk/v1/approvals',
      role: 'operator',
      tag: 'Approvals',
      summary: 'Decisions that wait for another operator, the longest first',
      query: z.object({
        all: z.enum(['true', 'false']).default('false').meta({ description: 'Decided ones, too.' }),
      }),
      response: z.object({ data: z.array(approvalSchema) }),
      async read({ caller, query }) {
        assertPermitted(caller);
        return { data: (await listApprovals(database, query.all === 'true', LISTED)).map(approvalView) };
      },
    }),
    route({
      method: 'GET',
      path: '/desk/v1/approvals/{id}',
      role: 'operator',
      tag: 'Approvals',
      summary: 'A decision of one operator',
      response: approvalSchema,
      async read({ caller, params }) {
        assertPermitted(caller);
        return approvalView(await requireApproval(database, params['id'] ?? ''));
      },
    }),
    route({
      method: 'POST',
      path: '/desk/v1/approvals/{id}/approve',
      role: 'operator',
      tag: 'Approvals',
      summary: 'Approve what another operator has asked for: it is carried out now',
      body: z.strictObject({ reason: reasonSchema.optional() }),
      response: decided,
      problems: ['forbidden', 'version_conflict', 'invalid_transition', 'limit_exceeded'],
      idempotency: 'required',
      prepare: ({ params }) => proveApproval(desk, database, params['id'] ?? ''),
      write: async (tx, request, proof) =>
        approvedView(
          await approve(desk, tx, askerOf(request), {
            id: request.params['id'] ?? '',
            note: request.body.reason ?? null,
            proof,
          }),
        ),
    }),
    route({
      method: 'POST',
      path: '/desk/v1/approvals/{id}/reject',
      role: 'operator',
      tag: 'Approvals',
      summary: 'Reject what an operator has asked for: nothing is done',
      body: z.strictObject({ reason: reasonSchema }),
      response: decided,
      problems: ['forbidden', 'invalid_transition'],
      idempotency: 'required',
      write: async (tx, request) =>
        approvedView(
          await reject(desk, tx, askerOf(request), {
            id: request.params['id'] ?? '',
            note: request.body.reason,
          }),
        ),
    }),
  ];
}

const approvedView = ({ approval, result }: Approved) => ({
  approval: approvalView(approval),
  ...(result === undefined ? {} : { result }),
});
