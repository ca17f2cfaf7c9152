import type { z } from 'zod';
import { createSchema, type oas31 } from 'zod-openapi';
import { pageSchema, rowSchema } from '../../src/parties/protocol/changes';
import { partyError } from '../../src/parties/protocol/codes';
import type { PartyLine, PartyOperation, PartyProtocol } from '../../src/parties/protocol/description';
import { SIGNATURE_HEADER } from '../../src/parties/protocol/signature';

const OPENAPI = '3.1.1';

/** The OpenAPI document of a party, of the schemas by which adapter and sandbox validate. */
export function openApiOf(protocol: PartyProtocol): oas31.OpenAPIObject {
  const { title, purpose, operations, callback, changes, lines = [] } = protocol;
  return {
    openapi: OPENAPI,
    info: {
      title: `Cardwright’s parties: ${title}`,
      version: '1',
      description: `${purpose}\n\nThe principles, what every answer means for money, and how callbacks are signed: docs/parties.md.`,
    },
    servers: [{ url: 'https://party.example', description: 'The address that the party is reached at.' }],
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

const BEARER = 'Hexadecimal HMAC-SHA256 of the word `requests`, keyed with the secret that we share.';

/** As it is sent: what an adapter reads of it, fields that it does not name are allowed. */
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

/** Fixed, so that the document is the same whenever it is written. */
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
          operation.kind === 'part' ? 'Taken, now or before under this key.' : 'The whole present state.',
        ...json(shape(answer), example),
      },
      ...problemsOf(operation),
    },
  };
}

const pathParameter = (name: string): oas31.ParameterObject => ({
  ...{ name, in: 'path', required: true, schema: { type: 'string' } },
});

const KEY: oas31.ParameterObject = {
  ...{ name: 'idempotency-key', in: 'header', required: true, schema: { type: 'string', maxLength: 200 } },
  description: 'Of one order for ever: a repeat answers with the first one’s state and does nothing more.',
};

const problem = (description: string): oas31.ResponseObject => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
});

const UNAUTHORIZED = { 401: problem('The bearer token is missing or wrong: nothing was done.') };
const UNAVAILABLE = { 503: problem('Nothing was done: we ask again.') };

function problemsOf(operation: PartyOperation): oas31.ResponsesObject {
  const unknown = { 404: problem('`not_found`: there is no such record.') };
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
      '`idempotency_mismatch`: the key was used for another order. It is also the answer while one is being taken.',
    ),
    422: problem(['It will never be done; any plain code may stand here.', ...codes].join('\n\n')),
    ...UNAVAILABLE,
  };
}

const CHANGES: oas31.OperationObject = {
  operationId: 'changes',
  summary: 'What has changed, in the party’s order',
  description: 'A page from a place on. A row is a record that has changed, however often it did before.',
  parameters: [
    {
      ...{ name: 'after', in: 'query', schema: { type: 'string' } },
      description: 'The `next` of the page before; absent: from the beginning.',
    },
  ],
  responses: {
    200: {
      description: 'A page.',
      ...json(pageShape(), {
        changes: [{ id: 'change-17', ref: 'the name of a record', version: 3 }],
        ...{ next: 'MTcwNjcwMjQwMDAwMCAxNw', more: false },
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
  ...{ name: SIGNATURE_HEADER, in: 'header', required: true, schema: { type: 'string' } },
  description:
    '`t=<unix seconds>,v1=<hexadecimal HMAC-SHA256 of "<t>." and the body’s bytes, keyed with the secret>`, five minutes of tolerance.',
  example: `t=1706702400,v1=${'0'.repeat(64)}`,
};

function webhookOf({ schema, example }: NonNullable<PartyProtocol['callback']>): oas31.OperationObject {
  return {
    operationId: 'callback',
    summary: 'Something has happened to a record: look',
    description: 'Sent to the address that the order named. `id` is the same when the message comes again.',
    security: [],
    parameters: [SIGNATURE],
    requestBody: { required: true, ...json(shape(schema), example) },
    responses: {
      200: { description: 'Heard. Any 2xx.' },
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
      200: { description: 'Judged, now or before.', ...content(answer, 'answer') },
      ...Object.fromEntries(
        Object.entries(refusals).map(([status, meaning]) => [status, { description: meaning }]),
      ),
    },
  };
}
