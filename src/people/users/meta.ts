import { z } from 'zod';
import { invalid } from '../../kernel/errors';

/** In bytes of JSON as UTF-8 (decisions part 1). */
const MAX_BYTES = 16 * 1024;

const TOO_LARGE = 'must be at most 16 KiB of JSON';

/** A user's `meta`: stored as given and not validated (`interface.md 2.1`). In a patch, null removes a field. */
export type UserMeta = Record<string, unknown>;

function faultOf(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be a JSON object';
  return Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES ? TOO_LARGE : undefined;
}

/** Any JSON object up to 16 KiB. Keeps every field, even `__proto__`, which a schema of records would drop. */
export function metaSchema() {
  return z
    .unknown()
    .superRefine((value, context) => {
      const fault = value === undefined ? 'is required' : faultOf(value);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, input: value });
    })
    .transform((value) => value as UserMeta)
    .meta({
      type: 'object',
      additionalProperties: true,
      description: 'Any JSON object up to 16 KiB. The fields that cardholders need are those of section 2.1.',
      examples: [{ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' }],
    });
}

/**
 * Merges a patch: present fields replace, null removes, absent fields are kept.
 * @throws Problem 400 when the result is larger than 16 KiB
 */
export function mergedMeta(meta: UserMeta, patch: UserMeta): UserMeta {
  const fields = new Map(Object.entries(meta));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) fields.delete(name);
    else fields.set(name, value);
  }
  const merged = Object.fromEntries(fields);
  if (Buffer.byteLength(JSON.stringify(merged)) > MAX_BYTES) throw invalid(`meta ${TOO_LARGE}.`, 'meta');
  return merged;
}
