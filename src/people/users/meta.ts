import { z } from 'zod';
import { invalid } from '../../kernel/errors';
import { META_WORDS } from './meta-words';

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
export const metaSchema = z
  .unknown()
  .superRefine((value, context) => {
    const fault = value === undefined ? 'is required' : faultOf(value);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, input: value });
  })
  .transform((value) => value as UserMeta)
  .meta({ id: 'UserMeta', override: metaDocument({ type: ['string', 'null'] }) });

/** A stored `meta`. The fields have no type, because clients may store any value. */
export const storedMetaSchema = z
  .record(z.string(), z.unknown())
  .meta({ id: 'StoredUserMeta', override: metaDocument({}) });

function metaDocument(type: object) {
  const fields = Object.entries(META_WORDS).map(([name, { words, example }]) => [
    name,
    { ...type, description: words, examples: [example] },
  ]);
  return {
    type: 'object' as const,
    properties: Object.fromEntries(fields) as Record<string, object>,
    additionalProperties: true,
    description:
      "The user's personal data: any JSON object up to 16 KiB, stored as given. A cardholder is made from the fields below. A B2B " +
      'BIN needs `firstName`, `lastName` and `email`.',
  };
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
