import { operationsOf } from '../../test/attack/operations';
import type { RequestSchema } from '../../test/attack/values';
import type { KnownIds } from './records';

/** Operations that an attack skips, with the reason. */
export const LEFT_OUT: Record<string, string> = {
  'POST /v1/client/secret/rotate': 'it would end the secret that the attack itself calls with',
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
 * Returns the served document without the skipped operations, and with examples. The examples are real ids and
 * affordable amounts, because random values would make every request end with 404 or 400. They do not change which
 * requests are valid.
 */
export function documentWith(served: ApiDocument, ids: KnownIds): ApiDocument {
  const document = structuredClone(served);
  for (const name of Object.keys(LEFT_OUT)) {
    const [method = '', path = ''] = name.split(' ');
    delete document.paths[path]?.[method.toLowerCase()];
  }
  for (const { method, path, places } of operationsOf(document)) {
    const operation = document.paths[path]?.[method.toLowerCase()] ?? {};
    for (const { at, name, schema } of fieldsOf(operation)) {
      const kind = places.find((place) => place.in === at && place.name === name)?.kind;
      const example = kind ? ids[kind] : VALUES[name];
      if (example !== undefined) schema.examples = [example];
    }
  }
  return document;
}

function fieldsOf({ parameters = [], requestBody }: DocumentOperation) {
  const contents = Object.values(requestBody?.content ?? {});
  return [
    ...parameters.map(({ in: at, name, schema }) => ({ at, name, schema })),
    ...contents.flatMap((content) =>
      Object.entries(content.schema.properties ?? {}).map(([name, schema]) => ({ at: 'body', name, schema })),
    ),
  ];
}
