import type { z } from 'zod';

/** An answer as the schema reads it, amounts that came as numbers taken for text. */
export interface Read {
  /** Absent where it is not of the shape. */
  value?: Record<string, unknown>;
  /** The fields that came as numbers where text must be. */
  numbers: string[];
  /** What is wrong besides. */
  problems: string[];
}

/** So that an amount that is a number is one failure, and all else of the answer is still looked at. */
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
