import { z } from 'zod';

/** Values that become a wire value: a Date for text, and null for a field that is left out. */
type Held<Wire> = Wire | (string extends Wire ? Date : never) | (undefined extends Wire ? null : never);

/** Fields of an object, or of a list's objects, that the wire does not have. */
type Extra<Value, Wire> = Value extends Date
  ? never
  : Value extends readonly (infer Item)[]
    ? Extra<Item, Wire extends readonly (infer Shown)[] ? Shown : never>
    : Value extends object
      ? Exclude<keyof Value, keyof Wire>
      : never;

/** Fields that the record does not have, or not in a form that becomes the wire's. */
type Missing<Shape, Row> = {
  [Field in keyof Shape]-?: Field extends keyof Row
    ? Row[Field] extends Held<Shape[Field]>
      ? [Extra<Row[Field], NonNullable<Shape[Field]>>] extends [never]
        ? never
        : Field
      : Field
    : Field;
}[keyof Shape];

/** The caller computes every missing field, and any other field of the schema. */
type Computed<Shape, Row> = { [Field in Missing<Shape, Row>]: Held<Shape[Field]> } & {
  [Field in Exclude<keyof Shape, Missing<Shape, Row>>]?: Held<Shape[Field]>;
};

/**
 * Shows a record on the wire: the fields of the schema, in its order. A computed value comes before the record's.
 * Dates become ISO 8601 text. Null is left out where the schema takes no null. Nothing is validated, so a stored value
 * never fails a request. Codecs of zod would validate, and an amount's codec cannot see the currency beside it.
 */
export function shown<Schema extends z.ZodObject, Row extends object>(
  schema: Schema,
  record: Row,
  ...[computed]: [Missing<z.output<Schema>, Row>] extends [never]
    ? [Computed<z.output<Schema>, Row>?]
    : [Computed<z.output<Schema>, Row>]
): z.output<Schema> {
  const values: Record<string, unknown> = { ...(record as object), ...computed };
  const wire: Record<string, unknown> = {};
  for (const [field, takesNull] of fieldsOf(schema)) {
    const value = values[field];
    if (value instanceof Date) wire[field] = value.toISOString();
    else if (value !== undefined && (value !== null || takesNull)) wire[field] = value;
  }
  return wire as z.output<Schema>;
}

const known = new WeakMap<z.ZodObject, [field: string, takesNull: boolean][]>();

function fieldsOf(schema: z.ZodObject) {
  let fields = known.get(schema);
  if (!fields) {
    fields = Object.entries(schema.shape as z.ZodRawShape).map(([field, type]) => [
      field,
      z.safeParse(type, null).success,
    ]);
    known.set(schema, fields);
  }
  return fields;
}
