import fc, { type Arbitrary } from 'fast-check';

/** The part of JSON Schema that the document's requests use. Any other keyword throws. */
export interface RequestSchema {
  /** A list when a field may be null. */
  type?: string | string[];
  enum?: unknown[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, RequestSchema>;
  required?: string[];
  additionalProperties?: unknown;
  examples?: unknown[];
  anyOf?: RequestSchema[];
  /** A request may only repeat the value that it has read, so the field is left out. */
  readOnly?: boolean;
}

const UNDERSTOOD = new Set([
  ...['type', 'enum', 'pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'properties'],
  ...['required', 'additionalProperties', 'minProperties', 'anyOf'],
  // Keywords that do not restrict values.
  ...['description', 'examples', 'default', 'contentMediaType'],
]);

/** Whether optional fields of an object are present. */
export type Extent = 'required' | 'all';

/**
 * Returns valid values of a schema.
 * @param samples by field name, for values that a schema cannot describe: a known currency, an affordable amount
 * @throws Error for an unknown keyword, so that no rule is overlooked
 */
export function valuesOf(
  schema: RequestSchema,
  extent: Extent,
  samples: Record<string, unknown>,
): Arbitrary<unknown> {
  const unknown = Object.keys(schema).filter((keyword) => !UNDERSTOOD.has(keyword));
  if (unknown.length > 0) throw new Error(`the generator does not know ${unknown.join(', ')}`);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valuesOf(each, extent, samples)));
  const [type] = [schema.type].flat();
  switch (type) {
    case undefined: // any JSON
    case 'null':
      return fc.constant(null);
    case 'string':
      return textsOf(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 2 ** 31 });
    case 'boolean':
      return fc.boolean();
    case 'object':
      return objectsOf(schema, extent, samples);
    default:
      throw new Error(`the generator does not know the type ${type}`);
  }
}

function textsOf({ pattern, format, minLength = 0, maxLength = 40 }: RequestSchema): Arbitrary<string> {
  if (format === 'date-time') {
    const [min, max] = [new Date('2000-01-01'), new Date('2040-01-01')];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  const length = { minLength, maxLength: Math.min(maxLength, 40) };
  const plain = fc.string({ ...length, unit: 'grapheme' });
  if (pattern === undefined) return plain.filter((text) => text.length <= maxLength);
  const rule = new RegExp(pattern, 'u');
  // Free text is drawn as text, because a pattern that forbids some characters would give only strange ones.
  const drawn = pattern.startsWith('^[^') ? plain : fc.stringMatching(rule);
  return drawn.filter((text) => rule.test(text) && text.length >= minLength && text.length <= maxLength);
}

function objectsOf(
  { properties = {}, required = [] }: RequestSchema,
  extent: Extent,
  samples: Record<string, unknown>,
): Arbitrary<unknown> {
  const wanted = Object.entries(properties).filter(
    ([name, { readOnly }]) => !readOnly && (extent === 'all' || required.includes(name)),
  );
  const fields = wanted.map(([name, schema]) => {
    const sample = samples[name];
    return [name, sample === undefined ? valuesOf(schema, extent, samples) : fc.constant(sample)] as const;
  });
  return fc.record(Object.fromEntries(fields));
}
