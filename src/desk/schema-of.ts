import { z } from 'zod';

/** The schema of what a caller sends. */
export function schemaOf(schema: z.ZodType): object {
  const { $schema: _, ...shown } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return shown;
}
