import { operationsOf } from '../../test/attack/operations';
import type { Kind } from '../../test/attack/records';
import type { RequestSchema } from '../../test/attack/values';
import type { KnownIds } from './records';

/** Operations that an attack skips, with the reason. */
export const LEFT_OUT: Record<string, string> = {
  'POST /sandbox/clock': 'it would end the quotes, holds and allocations that the attack itself uses',
  'POST /v1/client/secret/rotate': 'it would end the secret that the attack itself calls with',
  'DELETE /desk/v1/sessions/current': 'it would end the session that the attack itself calls with',
};

/** Values of fields that the sandbox knows, offers and can afford. */
const VALUES: Record<string, unknown> = {
  amount: '10.00',
  currency: 'USD',
  destination: { name: 'Ada Byron', iban: 'DE89370400440532013000' },
  paymentMethodToken: 'tok_visa',
  prefer: 'wait=1',
  region: 'GB',
  returnUrl: 'https://shop.example/back',
  url: 'http://127.0.0.1:9/webhooks',
};

interface Field {
  at: string;
  name: string;
  schema: RequestSchema;
}

/**
 * Values that the document allows and that a request holds beside the usual ones. Each has once led to an answer that
 * the document does not name.
 */
const DEVIATIONS: { suits(field: Field, kind: Kind | undefined): boolean; values: unknown[] }[] = [
  { suits: ({ schema }, kind) => kind !== undefined && !schema.pattern && !schema.enum, values: ['a\0b'] },
  { suits: ({ name }) => name === 'meta', values: [{ firstName: 'a\0b', 'a\0b': 1 }] },
  {
    suits: ({ schema }) => JSON.stringify(schema).includes('"date-time"'),
    values: ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-23:59'],
  },
];

interface Parameter {
  in: string;
  name: string;
  schema: RequestSchema;
}

interface DocumentOperation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: RequestSchema }> };
}

export interface ApiDocument {
  paths: Record<string, Record<string, DocumentOperation>>;
}

/**
 * Returns the served document without the skipped operations, and with examples. The first example is a real id or an
 * affordable amount, because random values would make every request end with 404 or 400. The others are
 * {@link DEVIATIONS}. No example changes which requests are valid.
 */
export function documentWith(
  served: ApiDocument,
  ids: KnownIds,
  operations: typeof operationsOf = operationsOf,
): ApiDocument {
  const document = structuredClone(served);
  for (const name of Object.keys(LEFT_OUT)) {
    const [method = '', path = ''] = name.split(' ');
    delete document.paths[path]?.[method.toLowerCase()];
  }
  for (const { method, path, places } of operations(document)) {
    const operation = document.paths[path]?.[method.toLowerCase()] ?? {};
    for (const field of fieldsOf(operation)) {
      const { at, name, schema } = field;
      const kind = places.find((place) => place.in === at && place.name === name)?.kind;
      const example = kind ? ids[kind] : VALUES[name];
      const usual = example === undefined ? (schema.examples ?? []) : [example];
      const unusual = DEVIATIONS.flatMap(({ suits, values }) => (suits(field, kind) ? values : []));
      if (usual.length > 0) schema.examples = [...usual, ...unusual];
    }
  }
  return document;
}

function fieldsOf({ parameters = [], requestBody }: DocumentOperation): Field[] {
  const contents = Object.values(requestBody?.content ?? {});
  return [
    ...parameters.map(({ in: at, name, schema }) => ({ at, name, schema })),
    ...contents.flatMap((content) =>
      Object.entries(content.schema.properties ?? {}).map(([name, schema]) => ({ at: 'body', name, schema })),
    ),
  ];
}
