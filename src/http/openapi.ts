import { z } from 'zod';
import {
  createDocument,
  type oas31,
  type ZodOpenApiOperationObject,
  type ZodOpenApiParameters,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { EventDocument } from '../kernel/outbox/event-document';
import { FILE_TYPES } from '../kernel/wire/file-type';
import type { FileSpec } from './multipart';
import { webhooksOf } from './openapi-webhooks';
import { PROBLEM_CODES } from './problem-codes';
import { hasNeeds, type Route } from './route';

/** Tags in the order of `interface.md 4.1`. Other tags follow. */
const TAGS = [
  ...['Health', 'Accounts', 'Cards', 'Transactions', 'Deposits', 'Webhooks', 'Sandbox', 'Bins', 'Users'],
  ...['Cardholders', 'KYC', 'Exchange', 'Payouts', 'Virtual IBAN', 'Wallets', 'Gas station', 'Networks'],
];

const SPECIFICATION_VERSION = '1.0.0'; // interface.md 9.1

const DESCRIPTION = `Card issuing and multi-currency accounts.

Amounts are decimal strings, timestamps are ISO 8601 in UTC. A list is \`{ data, hasMore, nextCursor }\`, newest first, with
\`limit\` and \`cursor\`. Unknown query parameters are ignored, unknown fields of a body are refused.
A query has at most 100 parameters. A JSON body has at most 1 MiB, 32 levels, 1,000 fields per object and 20,000 values.
A 400 that names a \`field\` lists every wrong field in \`errors\`.
Every answer carries \`x-request-id\`. An existing path answers 405 with \`Allow\` to other methods, and 204
with \`Allow\` to OPTIONS, which needs no credential. Without a credential, an unknown path is 401 under \`/v1\`, \`/v2\` and
\`/sandbox\`, and 404 elsewhere. A successful write can be repeated safely with the same \`x-idempotency-key\`: the repeat
returns the first answer, byte for byte, with \`x-idempotent-replayed: true\`.`;

export interface OpenApiOptions {
  /** Default: the API of clients. */
  title?: string;
  description?: string;
  /** The ways to authenticate, each enough by itself. Default: a client's credential. */
  securitySchemes?: Record<string, oas31.SecuritySchemeObject>;
  /** Events that are sent to clients. Default: none. */
  events?: readonly EventDocument[];
  /** Base URL of the API for clients. Default: the place that the document was read from. */
  publicUrl?: string | undefined;
}

/** Builds the OpenAPI 3.1 document from the same schemas that validate requests. */
export function openApiDocument(routes: Route[], options: OpenApiOptions = {}): oas31.OpenAPIObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return createDocument({
    openapi: '3.1.1',
    info: {
      title: options.title ?? 'Cardwright',
      version: SPECIFICATION_VERSION,
      description: options.description ?? DESCRIPTION,
    },
    servers: [{ url: options.publicUrl ?? '/' }],
    tags: tagsOf(routes).map((name) => ({ name })),
    security: options.securitySchemes
      ? Object.keys(options.securitySchemes).map((name) => ({ [name]: [] }))
      : [CREDENTIAL],
    paths,
    ...(options.events ? { webhooks: webhooksOf(options.events) } : {}),
    components: { securitySchemes: options.securitySchemes ?? SECURITY_SCHEMES },
  });
}

const CREDENTIAL = { clientId: [], clientSecret: [] };

const SECURITY_SCHEMES = {
  clientId: { type: 'apiKey', in: 'header', name: 'x-client-id', description: 'The tenant.' },
  clientSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'x-client-secret',
    description: "The tenant's secret.",
  },
} as const;

function tagsOf(routes: Route[]): string[] {
  const used = new Set(routes.map((route) => route.tag));
  return [...TAGS.filter((tag) => used.delete(tag)), ...used];
}

function operation(route: Route): ZodOpenApiOperationObject {
  const admin = route.role === 'admin';
  const notes = [route.description, admin ? 'For the operator only.' : undefined].filter(Boolean);
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: admin ? `${route.summary} (Admin)` : route.summary,
    ...(notes.length > 0 ? { description: notes.join('\n\n') } : {}),
    ...(route.deprecated ? { deprecated: true } : {}),
    ...(route.role === 'public' ? { security: [] } : {}),
    'x-role': route.role ?? 'client',
    requestParams: parameters(route),
    ...(route.files ? { requestBody: formBody(route.body, route.files) } : {}),
    ...(route.body && !route.files ? { requestBody: requestBody(route.body) } : {}),
    responses: { ...success(route), ...problems(route) },
  };
}

/** `GET /v1/cards/{id}` → `getV1CardsById`. */
function operationId({ method, path }: Route): string {
  const words = path.split('/').filter(Boolean);
  const named = words.map((word) => word.replace(/^\{(.+)\}$/, 'by-$1'));
  const camel = named.join('-').replace(/[-_.]+(\w)/g, (_, letter: string) => letter.toUpperCase());
  return method.toLowerCase() + camel.charAt(0).toUpperCase() + camel.slice(1);
}

const IDEMPOTENCY_KEY = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[\x20-\x7e]{1,255}$/);
const WAIT = z.string().meta({ examples: ['wait=10'] });

function parameters(route: Route): ZodOpenApiParameters {
  const names = pathParameters(route);
  const header: Record<string, z.ZodType> = {};
  const keyed = idempotency(route);
  if (keyed === 'required') {
    header['x-idempotency-key'] = IDEMPOTENCY_KEY.meta({
      description: 'Kept for ever: a repeat with the same key has no second effect.',
    });
  } else if (keyed === 'optional') {
    header['x-idempotency-key'] = IDEMPOTENCY_KEY.optional().meta({
      description: 'Kept for at least 24 hours: a repeat with the same key has no second effect.',
    });
  }
  if (route.settling) {
    header['prefer'] = WAIT.optional().meta({
      description:
        '`wait=N` delays the answer until the record is settled, at most N seconds (up to 30). The answer comes at once when the ' +
        'record waits for a person or for another call.',
    });
  }
  return {
    ...(names.length > 0 ? { path: z.object(Object.fromEntries(names.map((n) => [n, z.string()]))) } : {}),
    ...(route.query ? { query: route.query as z.ZodObject } : {}),
    ...(Object.keys(header).length > 0 ? { header: z.object(header) } : {}),
  };
}

function pathParameters(route: Route): string[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

function idempotency(route: Route): 'optional' | 'required' | 'ignored' {
  if ('write' in route) return route.idempotency ?? 'optional';
  return 'gathered' in route ? 'optional' : 'ignored';
}

/** Request body. Required only if the schema refuses `{}`, because an empty body is `{}`. */
function requestBody(schema: z.ZodType) {
  const refused = !schema.safeParse({}).success || Number(schema.meta()?.['minProperties'] ?? 0) > 0;
  return { required: refused, content: { 'application/json': { schema } } };
}

const FILE = z.string().meta({
  format: 'binary',
  contentMediaType: 'application/octet-stream',
  description: `${FILE_TYPES.join(', ')}, judged by its content; at most 10 MiB.`,
});

/** multipart/form-data with its files. If no file is required, also JSON with the fields alone. */
function formBody(schema: z.ZodType | undefined, files: FileSpec) {
  const fields = (schema ?? z.strictObject({})) as z.ZodObject;
  const parts = Object.entries(files).map(([name, need]) => [
    name,
    need === 'required' ? FILE : FILE.optional(),
  ]);
  const form = { 'multipart/form-data': { schema: fields.extend(Object.fromEntries(parts)) } };
  const required = Object.values(files).includes('required');
  return {
    required: true,
    content: required ? form : { ...form, 'application/json': { schema: fields } },
  };
}

const header = (description: string, schema: oas31.SchemaObject = { type: 'string' }) => ({
  description,
  schema,
});
const WHOLE = { type: 'integer' } as const;

const REQUEST_ID = {
  'x-request-id': header("The caller's id if it sent a well-formed one, else a new one."),
};
const RATE_LIMIT = {
  'RateLimit-Limit': header('Requests that may come at once.', WHOLE),
  'RateLimit-Remaining': header('Requests left now.', WHOLE),
  'RateLimit-Reset': header('Seconds until the next request is allowed, or until all are again.', WHOLE),
};
const RETRY_AFTER = { 'Retry-After': header('Seconds to wait before a retry.', WHOLE) };
const REPLAYED = {
  'x-idempotent-replayed': header('`true` when this is the stored answer of an earlier request.'),
};

function success(route: Route): ZodOpenApiOperationObject['responses'] {
  const status = route.status ?? 200;
  const schema = route.response ?? z.unknown();
  const types = route.produces ?? ['application/json'];
  const content =
    status === 204
      ? {}
      : {
          content: Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type, types, schema) }])),
        };
  const headers: oas31.HeadersObject = {
    ...REQUEST_ID,
    ...(route.role === 'public' ? {} : RATE_LIMIT),
    ...(idempotency(route) === 'ignored' ? {} : REPLAYED),
    ...(route.settling ? { 'Preference-Applied': header('The `wait` preference that was applied.') } : {}),
    ...(route.deprecated
      ? { Deprecation: header('Time of the deprecation (RFC 9745): `@` and a Unix time.') }
      : {}),
  };
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

const ERROR_FIELDS = {
  code: z.string(),
  message: z.string().meta({ description: 'For people; the text may change.' }),
  field: z.string().optional().meta({
    description:
      'Path of the field at fault in the body: `amount`, `assets[0].decimals`. A field of `meta` has its bare name.',
  }),
  errors: z
    .array(z.object({ field: z.string(), message: z.string() }))
    .optional()
    .meta({ description: 'Of a 400 that names a field: every wrong field, `field` first.' }),
  requestId: z.string(),
};
const ERROR = z.object(ERROR_FIELDS).meta({ id: 'Error', description: 'What went wrong.' });

function problems(route: Route): ZodOpenApiOperationObject['responses'] {
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
  const keyed = idempotency(route);
  const writes = !('read' in route);
  add(route.method !== 'GET' || route.query !== undefined, 'invalid_request');
  add(route.role !== 'public', 'unauthorized', 'client_disabled', 'rate_limited');
  add(route.role === 'admin', 'forbidden');
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

function problem({ unavailable }: Route, status: number, codes: string[]) {
  const waits = status === 429 || status === 503;
  const schema = status === 503 && unavailable ? z.object({ ...ERROR_FIELDS, ...unavailable }) : ERROR;
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEM_CODES[code]?.meaning ?? ''}`).join('\n\n'),
    headers: { ...REQUEST_ID, ...(waits ? RETRY_AFTER : {}) },
    content: { 'application/json': { schema } },
  };
}
