import { z } from 'zod';

/** The JSON Schema of a caller's input. */
export function schemaOf(schema: z.ZodType): object {
  const { $schema: _, ...shown } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return shown;
}
