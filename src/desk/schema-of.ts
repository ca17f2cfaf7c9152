import { z } from 'zod';

/** Made schemas. Each command of the command line asks for all of them. Making them anew took a fifth of the desk's tests (processor). */
const made = new WeakMap<z.ZodType, object>();

/** The JSON Schema of a caller's input. Callers must not change it. */
export function schemaOf(schema: z.ZodType): object {
  const known = made.get(schema);
  if (known) return known;
  const { $schema: _, ...shown } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  made.set(schema, shown);
  return shown;
}
