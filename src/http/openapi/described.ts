import type { oas31 } from 'zod-openapi';
import { FIELD_EXAMPLES } from '../../kernel/wire/field-examples';
import { FIELD_WORDS } from '../../kernel/wire/field-words';

type Json = Record<string, unknown>;

/** The format of a value, in words. */
const FORMATS: Record<string, string> = {
  decimal: 'A decimal string with all decimals of its currency.',
  'date-time': 'ISO 8601, UTC.',
};

/**
 * Adds words to every field and parameter: those of {@link FIELD_WORDS} where its schema has none, and its format. Ids and
 * codes get an example.
 */
export function described(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  const copy = JSON.parse(JSON.stringify(document)) as oas31.OpenAPIObject;
  for (const [name, schema] of Object.entries(copy.components?.schemas ?? {})) walk(schema, recordOf(name));
  for (const pathItem of [copy.paths, copy.webhooks].flatMap((paths) => Object.entries(paths ?? {})))
    describePath(...pathItem);
  return copy;
}

function describePath(path: string, item: oas31.PathItemObject): void {
  const thing = thingOf(path);
  for (const operation of Object.values(item) as Json[]) {
    for (const parameter of (operation['parameters'] ?? []) as Json[])
      nameParameter(parameter, parameter['in'] === 'query' ? listedBy(path) : thing);
    walk(operation['requestBody'], thing);
    walk(operation['responses'], thing);
  }
}

function walk(node: unknown, of: string): void {
  if (Array.isArray(node)) return node.forEach((each) => walk(each, of));
  if (!isObject(node)) return;
  const { properties } = node;
  // zod bounds every whole number by JavaScript's own range. No field has these limits.
  if (node['minimum'] === Number.MIN_SAFE_INTEGER) delete node['minimum'];
  if (node['maximum'] === Number.MAX_SAFE_INTEGER) delete node['maximum'];
  if (isSchema(node) && isObject(properties))
    for (const [name, field] of Object.entries(properties)) {
      describe(field as Json, name, of);
      walk(field, words(singular(name)));
    }
  for (const [key, value] of Object.entries(node))
    if (!DATA.has(key) && !(key === 'properties' && isSchema(node))) walk(value, of);
}

/** Keys whose values are data of the API, not schemas. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Whether `properties` are the fields of an object, and not a field of that name. */
const isSchema = (node: Json) => typeof node['type'] === 'string' || 'allOf' in node || 'anyOf' in node;

function describe(field: Json, name: string, of: string): void {
  const own = (field['description'] as string | undefined) ?? FIELD_WORDS[name]?.replace('{of}', of);
  const format = FORMATS[formatOf(field)];
  const words = [own, format].filter(Boolean).join(' ');
  if (words !== '') field['description'] = words;
  const example = FIELD_EXAMPLES[name];
  const isOpen = !['examples', 'enum', 'const', 'format', '$ref'].some((key) => key in field);
  if (example !== undefined && isOpen && isText(field)) field['examples'] = [example];
}

/** Whether the value is a text, or a text or null. */
const isText = ({ type, anyOf }: Json): boolean =>
  [type].flat().includes('string') || ((anyOf ?? []) as Json[]).some((each) => each['type'] === 'string');

/** The format of a value that may also be null. */
function formatOf(field: Json): string {
  const [first] = (field['anyOf'] ?? []) as Json[];
  return (field['format'] ?? first?.['format'] ?? '') as string;
}

function nameParameter(parameter: Json, of: string): void {
  if (parameter['description'] !== undefined) return;
  const schema = (parameter['schema'] ?? {}) as Json;
  const name = String(parameter['name']);
  const own = (schema['description'] as string | undefined) ?? FIELD_WORDS[name]?.replace('{of}', of);
  if (own !== undefined) parameter['description'] = own;
}

/** `/v1/users/{id}/kyc` → `user`: the record that `{id}` names. Without one, the last collection. */
function thingOf(path: string): string {
  const parts = path.split('/').filter(Boolean);
  const at = parts.indexOf('{id}');
  return at > 0 ? words(singular(parts[at - 1] ?? '')) : listedBy(path);
}

/** `/v1/users/{id}/card/transactions` → `transaction`: the records that a query filters. */
function listedBy(path: string): string {
  const collections = path
    .split('/')
    .filter((part) => !['', 'history'].includes(part) && !part.startsWith('{'));
  return words(singular(collections.at(-1) ?? 'record'));
}

/** `CardTransactionEvent` → `card transaction`: the record that a schema shows, in an event or with additions. */
const recordOf = (schema: string) =>
  words(schema.replace(/(?<=Transaction|Deposit)(?:Event|Item|Detail)$|StatusEvent$|WithBins$|Output$/, ''));

/** `KycDocument` → `KYC document`. */
const words = (name: string) =>
  name
    .replace(/(?<=[a-z])(?=[A-Z])|[-_.]/g, ' ')
    .toLowerCase()
    .replace(/\b(?:bin|iban|kyc)\b/g, (acronym) => acronym.toUpperCase());

const singular = (word: string) => word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '');

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
