import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiParameters } from 'zod-openapi';
import { FILE_TYPES } from '../../kernel/wire/file-type';
import type { FileSpec } from '../multipart';
import type { Route } from '../route';
import { problems, success } from './answers';
import { EXAMPLES, FORM_EXAMPLES } from './examples';
import { operationIdOf } from './operation-id';
import { keyOf, pathParameters } from './route-facts';

export function operation(route: Route): ZodOpenApiOperationObject {
  const admin = route.role === 'admin';
  const { scope } = route;
  const notes = [
    route.description,
    admin ? forOperators(route) : undefined,
    scope === null ? undefined : `Scope: \`${scope}\`.`,
  ].filter(Boolean);
  return {
    operationId: operationIdOf(route),
    tags: [route.tag],
    summary: admin ? `${route.summary} (Admin)` : route.summary,
    ...(notes.length > 0 ? { description: notes.join('\n\n') } : {}),
    ...(route.deprecated ? { deprecated: true } : {}),
    ...(route.role === 'public' ? { security: [] } : {}),
    'x-role': route.role ?? 'client',
    ...(scope === null ? {} : { 'x-scope': scope }),
    ...(admin && route.permission ? { 'x-permission': route.permission } : {}),
    requestParams: parameters(route),
    ...(route.files ? { requestBody: formBody(route, route.files) } : {}),
    ...(route.body && !route.files ? { requestBody: requestBody(route.body, exampleOf(route)) } : {}),
    responses: { ...success(route), ...problems(route) },
  };
}

const forOperators = ({ permission }: Route): string =>
  `For the operator only${permission ? `, with the permission \`${permission}\`` : ''}.`;

const key = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[\x20-\x7e]{1,255}$/);

const KEYS = {
  required: key.meta({
    description: 'Kept for ever: a repeat with the same key has no second effect.',
    examples: ['3f0c5f0e-order-4711'],
  }),
  optional: key.optional().meta({
    description: 'Kept for at least 24 hours: a repeat with the same key has no second effect.',
    examples: ['3f0c5f0e-order-4711'],
  }),
  ignored: undefined,
};

const WAIT = z
  .string()
  .optional()
  .meta({
    description:
      '`wait=N` delays the answer until the record is settled, at most N seconds (up to 30). The answer comes at once when the ' +
      'record waits for a person or for another call.',
    examples: ['wait=10'],
  });

function parameters(route: Route): ZodOpenApiParameters {
  const names = pathParameters(route);
  const keyed = KEYS[keyOf(route)];
  const header: Record<string, z.ZodType> = {
    ...(keyed && { 'x-idempotency-key': keyed }),
    ...(route.settling && { prefer: WAIT }),
  };
  return {
    ...(names.length > 0 ? { path: z.object(Object.fromEntries(names.map((n) => [n, z.string()]))) } : {}),
    ...(route.query ? { query: route.query as z.ZodObject } : {}),
    ...(Object.keys(header).length > 0 ? { header: z.object(header) } : {}),
  };
}

/** Request body. Required only if the schema refuses `{}`, because an empty body is `{}`. */
function requestBody(schema: z.ZodType, example: unknown) {
  const refused = !schema.safeParse({}).success || Number(schema.meta()?.['minProperties'] ?? 0) > 0;
  return { required: refused, content: { 'application/json': { schema, ...given(example) } } };
}

const exampleOf = (route: Route): object | undefined => EXAMPLES[operationIdOf(route)];

const given = (example: unknown) => (example === undefined ? {} : { example });

const FILE = z.string().meta({
  format: 'binary',
  contentMediaType: 'application/octet-stream',
  description: `${FILE_TYPES.join(', ')}, judged by its content; at most 10 MiB.`,
});

/** multipart/form-data with its files. If no file is required, also JSON with the fields alone. */
const UPLOADS =
  'The uploads of a company that are under way share 40 MiB. Further ones wait for up to ten seconds, and are then a 429 ' +
  'with `Retry-After`.';

function formBody(route: Route, files: FileSpec) {
  const example = exampleOf(route);
  const fields = (route.body ?? z.strictObject({})) as z.ZodObject;
  const parts = Object.entries(files).map(([name, need]) => [
    name,
    need === 'required' ? FILE : FILE.optional(),
  ]);
  const schema = fields.extend(Object.fromEntries(parts));
  const form = { 'multipart/form-data': { schema, ...given(FORM_EXAMPLES[operationIdOf(route)]) } };
  const required = Object.values(files).includes('required');
  return {
    description: UPLOADS,
    required: true,
    content: required ? form : { ...form, 'application/json': { schema: fields, ...given(example) } },
  };
}
