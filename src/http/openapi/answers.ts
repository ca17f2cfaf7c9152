import { z } from 'zod';
import type { oas31, ZodOpenApiOperationObject } from 'zod-openapi';
import { PROBLEM_CODES } from '../problem-codes';
import { hasNeeds, type Route } from '../route';
import { keyOf, pathParameters } from './route-facts';

type Responses = ZodOpenApiOperationObject['responses'];

const header = (description: string, schema: oas31.SchemaObject = { type: 'string' }) => ({
  description,
  schema,
});
const WHOLE = { type: 'integer' } as const;

/** Headers of answers, each said once in the components. */
export const HEADERS = {
  'x-request-id': header("The caller's id if it sent a well-formed one, else a new one."),
  'RateLimit-Limit': header('Requests that may come at once.', WHOLE),
  'RateLimit-Remaining': header('Requests left now.', WHOLE),
  'RateLimit-Reset': header('Seconds until the next request is allowed, or until all are again.', WHOLE),
  'Retry-After': header('Seconds to wait before a retry.', WHOLE),
  'x-idempotent-replayed': header('`true` when this is the stored answer of an earlier request.'),
  'Preference-Applied': header('The `wait` preference that was applied.'),
  Deprecation: header('Time of the deprecation (RFC 9745): `@` and a Unix time.'),
};

const sent = (...names: (keyof typeof HEADERS | false)[]): oas31.HeadersObject =>
  Object.fromEntries(
    names.filter((name) => name !== false).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

export function success(route: Route): Responses {
  const status = route.status ?? 200;
  const schema = route.response ?? z.unknown();
  const types = route.produces ?? ['application/json'];
  const content =
    status === 204
      ? {}
      : {
          content: Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type, types, schema) }])),
        };
  const limited = route.role !== 'public';
  const headers = sent(
    'x-request-id',
    limited && 'RateLimit-Limit',
    limited && 'RateLimit-Remaining',
    limited && 'RateLimit-Reset',
    keyOf(route) !== 'ignored' && 'x-idempotent-replayed',
    route.settling !== undefined && 'Preference-Applied',
    route.deprecated !== undefined && 'Deprecation',
  );
  return {
    ...(route.mayExist
      ? {
          200: {
            description: 'Nothing was created: the record exists already, or there was nothing to create.',
            headers,
            ...content,
          },
        }
      : {}),
    ...(route.awaitsApproval
      ? {
          202: {
            description: 'Nothing has changed yet: the change waits until other people approve it.',
            headers,
            content: { 'application/json': { schema: route.awaitsApproval } },
          },
        }
      : {}),
    [status]: { description: MEANINGS[status] ?? 'Done.', headers, ...content },
  };
}

/** Beside JSON, which the schema describes, an answer in another type is a file. */
function schemaOf(type: string, types: readonly string[], schema: z.ZodType): z.ZodType | oas31.SchemaObject {
  if (type === 'application/json' || !types.includes('application/json')) return schema;
  return type.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' };
}

const MEANINGS: Record<number, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; processing continues in the background.',
  204: 'Done, without content.',
};

const FIELD_ERROR = z
  .object({
    field: z.string().meta({ description: 'Path of the field, as in `field` of the error.' }),
    message: z.string().meta({ description: 'For people; the text may change.' }),
  })
  .meta({ id: 'FieldError', description: 'A wrong field of a request.' });

const ERROR_FIELDS = {
  code: z.string().meta({
    enum: Object.keys(PROBLEM_CODES),
    description: 'Code of the error, for programs. Each operation names its codes by status.',
  }),
  message: z.string().meta({ description: 'For people; the text may change.' }),
  field: z.string().optional().meta({
    description:
      'Path of the field at fault in the body: `amount`, `assets[0].decimals`. A field of `meta` has its bare name.',
  }),
  errors: z.array(FIELD_ERROR).optional().meta({
    description: 'Every wrong field, in a 400 that names a field. The first is the one in `field`.',
  }),
  requestId: z
    .string()
    .meta({ description: 'The `x-request-id` of the answer. Name it when you ask for help.' }),
};
const ERROR = z.object(ERROR_FIELDS).meta({ id: 'Error', description: 'An error.' });

export function problems(route: Route): Responses {
  const byStatus = new Map<number, string[]>();
  for (const code of codesOf(route)) {
    const { status } = PROBLEM_CODES[code] ?? { status: 409 };
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([status, codes]) => [status, problem(route, status, codes)]));
}

function codesOf(route: Route): Set<string> {
  const codes = new Set(['internal', 'unavailable', ...(route.problems ?? [])]);
  const add = (when: boolean, ...more: string[]) => when && more.forEach((code) => codes.add(code));
  const keyed = keyOf(route);
  const writes = !('read' in route);
  add(route.method !== 'GET' || route.query !== undefined, 'invalid_request');
  // An admin may lack the permission for any operation.
  add(route.role !== 'public', 'unauthorized', 'client_disabled', 'rate_limited', 'forbidden');
  add(route.scope !== null, 'scope_missing');
  add(hasNeeds(route), 'capability_disabled');
  add(pathParameters(route).length > 0 || namesRecords(route.body), 'not_found');
  add(route.method !== 'GET', 'payload_too_large', 'unsupported_media_type');
  add(keyed !== 'ignored', 'idempotency_in_progress', 'idempotency_mismatch');
  add(writes, 'outcome_unknown');
  add(keyed === 'required', 'idempotency_key_required');
  return codes;
}

/** Whether the body refers to records by id, or to a network by its chain. Unknown ones are 404. */
function namesRecords(schema: z.ZodType | undefined): boolean {
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return fields.some((name) => /^(bin|id|chain)$|Id$/.test(name) && name !== 'externalId');
}

/** Answers that many operations share, by their codes. */
const shared = new Map<string, ReturnType<typeof errorAnswer>>();

/** Codes of a status that always come together. */
const PAIRS = ['unauthorized client_disabled', 'unavailable outcome_unknown'];

function problem({ unavailable }: Route, status: number, codes: string[]) {
  if (status === 503 && unavailable)
    return errorAnswer(status, codes, z.object({ ...ERROR_FIELDS, ...unavailable }));
  const together = codes.join(' ');
  if (codes.length > 1 && !PAIRS.includes(together)) return errorAnswer(status, codes, ERROR);
  const known = shared.get(together) ?? { id: nameOf(codes), ...errorAnswer(status, codes, ERROR) };
  shared.set(together, known);
  return known;
}

/** `unauthorized`, `client_disabled` → `UnauthorizedOrClientDisabled`. */
const nameOf = (codes: string[]) =>
  codes
    .map((code) => code.replace(/(?:^|_)([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase()))
    .join('Or');

function errorAnswer(status: number, codes: string[], schema: z.ZodType) {
  const waits = status === 429 || status === 503;
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEM_CODES[code]?.meaning ?? ''}`).join('\n\n'),
    headers: sent('x-request-id', waits && 'Retry-After'),
    content: {
      'application/json': { schema, ...(schema === ERROR ? { example: exampleOf(codes) } : {}) },
    },
  };
}

/** An error with the code that says most about the operation: the first that not every operation has. */
function exampleOf(codes: string[]) {
  const code = codes.find((each) => !COMMON.includes(each)) ?? codes[0] ?? 'internal';
  const { meaning = '' } = PROBLEM_CODES[code] ?? {};
  const field = code === 'invalid_request' ? { field: 'amount' } : {};
  const message = code === 'invalid_request' ? 'amount is required.' : meaning;
  const errors = code === 'invalid_request' ? { errors: [{ field: 'amount', message }] } : {};
  return { code, message, ...field, ...errors, requestId: '7f9c2f0a-5a0e-4c55-9a39-3b8a1d1f7c11' };
}

const COMMON = ['idempotency_in_progress', 'idempotency_key_required'];
