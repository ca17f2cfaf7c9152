import type { z } from 'zod';
import { createSchema, type oas31 } from 'zod-openapi';
import { pageSchema, rowSchema } from '../../src/parties/protocol/changes';
import { partyError } from '../../src/parties/protocol/codes';
import type { PartyLine, PartyOperation, PartyProtocol } from '../../src/parties/protocol/description';
import { SIGNATURE_HEADER } from '../../src/parties/protocol/signature';

const OPENAPI = '3.1.1';

/** Returns the OpenAPI document of a party, made from the schemas by which adapter and sandbox validate. */
export function openApiOf(protocol: PartyProtocol): oas31.OpenAPIObject {
  const { title, purpose, operations, callback, changes, lines = [] } = protocol;
  return {
    openapi: OPENAPI,
    info: {
      title: `Cardwright’s parties: ${title}`,
      version: '1',
      description: `${purpose}\n\ndocs/parties.md has the principles, the meaning of every answer for money, and the signature of callbacks.`,
    },
    servers: [{ url: 'https://party.example', description: 'The address of the party.' }],
    security: [{ bearer: [] }],
    paths: { ...pathsOf(operations), ...(changes ? { '/changes': { get: CHANGES } } : {}) },
    ...(callback || lines.length > 0
      ? {
          webhooks: {
            ...(callback ? { changed: { post: webhookOf(callback) } } : {}),
            ...Object.fromEntries(lines.map((line) => [line.name, { post: lineOf(line) }])),
          },
        }
      : {}),
    components: {
      schemas: { Refusal: shape(partyError) },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: BEARER } },
    },
  };
}

const BEARER = 'Hexadecimal HMAC-SHA256 of the word `requests`, keyed with the shared secret.';

/** The schema of a message as it is sent. Adapters allow fields that a schema does not name. */
const shape = (schema: z.ZodType): oas31.SchemaObject =>
  createSchema(schema, { io: 'input', openapiVersion: OPENAPI }).schema as oas31.SchemaObject;

const json = (schema: oas31.SchemaObject, example?: object) => ({
  content: { 'application/json': { schema, ...(example ? { example } : {}) } },
});

function pathsOf(operations: readonly PartyOperation[]): oas31.PathsObject {
  const paths: oas31.PathsObject = {};
  for (const operation of operations) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(operation) };
  }
  return paths;
}

/** Fixed values, so that every run writes the same document. */
export const SAMPLE = {
  callbackUrl: 'https://cardwright.example/callbacks/…',
  at: new Date('2026-01-31T12:00:00Z'),
};

function operationOf(operation: PartyOperation): oas31.OperationObject {
  const { name, path, summary, description, answer, example } = operation;
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, field = '']) => pathParameter(field)),
    ...(operation.method === 'POST' ? [KEY] : []),
  ];
  return {
    operationId: name,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.method === 'POST'
      ? { requestBody: { required: true, ...json(shape(operation.request), operation.sample(SAMPLE)) } }
      : {}),
    responses: {
      [operation.method === 'POST' ? 201 : 200]: {
        description:
          operation.kind === 'part'
            ? 'The order is taken, now or earlier under this key.'
            : 'The whole present state.',
        ...json(shape(answer), example),
      },
      ...problemsOf(operation),
    },
  };
}

const pathParameter = (name: string): oas31.ParameterObject => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
});

const KEY: oas31.ParameterObject = {
  name: 'idempotency-key',
  in: 'header',
  required: true,
  schema: { type: 'string', maxLength: 200 },
  description:
    'Belongs to one order for ever. A repeat does nothing more and answers with the state of the first.',
};

const problem = (description: string): oas31.ResponseObject => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
});

const UNAUTHORIZED = { 401: problem('The bearer token is missing or wrong. Nothing was done.') };
const UNAVAILABLE = { 503: problem('Nothing was done. We ask again.') };

function problemsOf(operation: PartyOperation): oas31.ResponsesObject {
  const unknown = { 404: problem('`not_found`: no such record exists.') };
  if (operation.method === 'GET') {
    return {
      ...UNAUTHORIZED,
      ...(['state', 'detail'].includes(operation.kind) ? unknown : {}),
      ...UNAVAILABLE,
    };
  }
  const codes = Object.entries(operation.refusals).map(([code, meaning]) => `\`${code}\`: ${meaning}`);
  return {
    ...UNAUTHORIZED,
    ...(operation.kind === 'part' ? unknown : {}),
    409: problem(
      '`idempotency_mismatch`: the key was used for another order. Also the answer while an order of this key is being taken.',
    ),
    422: problem(['The order will never be done. The code may be any plain word.', ...codes].join('\n\n')),
    ...UNAVAILABLE,
  };
}

const CHANGES: oas31.OperationObject = {
  operationId: 'changes',
  summary: 'Changed records, in the party’s order',
  description: 'One page after a place. A row names a changed record. A record may have several rows.',
  parameters: [
    {
      name: 'after',
      in: 'query',
      schema: { type: 'string' },
      description: 'The `next` of the page before. Absent: the list begins at its beginning.',
    },
  ],
  responses: {
    200: {
      description: 'A page.',
      ...json(pageShape(), {
        changes: [{ id: 'change-17', ref: 'the name of a record', version: 3 }],
        next: 'MTcwNjcwMjQwMDAwMCAxNw',
        more: false,
      }),
    },
    ...UNAUTHORIZED,
    ...UNAVAILABLE,
  },
};

function pageShape(): oas31.SchemaObject {
  const page = shape(pageSchema);
  return { ...page, properties: { ...page.properties, changes: { type: 'array', items: shape(rowSchema) } } };
}

const SIGNATURE: oas31.ParameterObject = {
  name: SIGNATURE_HEADER,
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description:
    '`t=<unix seconds>,v1=<hexadecimal HMAC-SHA256 of "<t>." and the body’s bytes, keyed with the secret>`, five minutes of tolerance.',
  example: `t=1706702400,v1=${'0'.repeat(64)}`,
};

function webhookOf({ schema, example }: NonNullable<PartyProtocol['callback']>): oas31.OperationObject {
  return {
    operationId: 'callback',
    summary: 'A record has changed',
    description: 'Sent to the `callbackUrl` of the order. `id` is the same when the message is sent again.',
    security: [],
    parameters: [SIGNATURE],
    requestBody: { required: true, ...json(shape(schema), example) },
    responses: {
      200: { description: 'Received. Any 2xx will do.' },
      401: { description: 'The signature is wrong or too old.' },
    },
  };
}

function lineOf({
  name,
  path,
  summary,
  description,
  message,
  answer,
  examples,
  refusals,
}: PartyLine): oas31.OperationObject {
  const named = (part: 'message' | 'answer') =>
    Object.fromEntries(Object.entries(examples).map(([what, example]) => [what, { value: example[part] }]));
  const content = (schema: z.ZodType, part: 'message' | 'answer') => ({
    content: { 'application/json': { schema: shape(schema), examples: named(part) } },
  });
  return {
    operationId: name,
    summary,
    description: `\`POST ${path}\` at our address.\n\n${description}`,
    security: [],
    parameters: [SIGNATURE],
    requestBody: { required: true, ...content(message, 'message') },
    responses: {
      200: {
        description: 'The answer, given now or earlier to the same message.',
        ...content(answer, 'answer'),
      },
      ...Object.fromEntries(
        Object.entries(refusals).map(([status, meaning]) => [status, { description: meaning }]),
      ),
    },
  };
}
