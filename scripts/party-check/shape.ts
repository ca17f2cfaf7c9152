import type { z } from 'zod';

/** An answer read by its schema, after amounts that are numbers were converted to text. */
export interface Read {
  /** Absent when the answer does not have the shape. */
  value?: Record<string, unknown>;
  /** Fields that are numbers instead of text. */
  numbers: string[];
  /** Other faults. */
  problems: string[];
}

/** Converts numeric amounts first, so that one such amount is one failure and the rest is still checked. */
export function readAs(schema: z.ZodType, body: unknown): Read {
  const numbers: string[] = [];
  const copy: unknown = structuredClone(body);
  for (const { path } of schema.safeParse(body).error?.issues ?? []) {
    const held = at(copy, path.slice(0, -1)) as Record<PropertyKey, unknown> | undefined;
    const field = path.at(-1);
    if (held === undefined || field === undefined || typeof held[field] !== 'number') continue;
    held[field] = String(held[field]);
    numbers.push(path.join('.'));
  }
  const parsed = schema.safeParse(copy);
  const problems = (parsed.error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`,
  );
  return { ...(parsed.success ? { value: copy as Record<string, unknown> } : {}), numbers, problems };
}

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((held, key) => (held as Record<PropertyKey, unknown> | undefined)?.[key], value);
