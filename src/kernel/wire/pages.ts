import { z } from 'zod';
import { invalid } from '../errors';
import { type IdKind, isId } from '../ids';
import { moment } from './schemas';

/** Of `createdAt`: `from` is inside the period, `to` no longer. */
export const periodQuery = {
  from: moment().optional().describe('At that moment or later; a date is its midnight in UTC.'),
  to: moment().optional().describe('Before that moment; a date is its midnight in UTC.'),
};

/** Every list of records is newest first, by `?limit=` (1–100, default 20) and an opaque `?cursor=`, of a period. */
export const pageQuery = {
  ...periodQuery,
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, 'must be a whole number from 1 to 100')
    .transform(Number)
    .default(20)
    .meta({ override: { type: 'integer', minimum: 1, maximum: 100, default: 20 } }),
  cursor: z.string().max(500).optional(),
};

export interface Page<T> {
  data: T[];
  hasMore: boolean;
  nextCursor: string | null;
}

/** Where a page ended: the sort key of its last row, as texts. */
export type Position = string[];

/** What a list sorts by, part by part: a cursor that holds anything else is none of the list's. */
export const positionPart = {
  id: (kind: IdKind) => z.string().refine((text) => isId(kind, text)),
  /** Milliseconds in UTC, as `Date.toISOString` writes them. */
  instant: () => z.string().refine(isInstant),
  /** Of an entry of an account or a card. */
  number: () => z.string().regex(/^\d{1,18}$/),
};

function isInstant(text: string): boolean {
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString() === text;
}

/**
 * The position that a cursor holds.
 * @param shape a tuple of {@link positionPart}s
 * @throws Problem 400 when the cursor is not one that such a list has given out
 */
export function positionOf<Parts extends Position>(
  cursor: string | undefined,
  shape: z.ZodType<Parts>,
): Parts | undefined {
  if (cursor === undefined) return undefined;
  const result = shape.safeParse(decoded(cursor));
  if (!result.success) throw foreignCursor();
  return result.data;
}

/** A cursor of another list, or of none. */
export const foreignCursor = () => invalid('cursor is not one that this list has given out.', 'cursor');

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A page from `limit + 1` rows: the extra row tells that there is more. */
export function pageOf<Row, T>(
  rows: Row[],
  limit: number,
  position: (row: Row) => Position,
  show: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: shown.map(show),
    hasMore,
    nextCursor: hasMore && last ? Buffer.from(JSON.stringify(position(last))).toString('base64url') : null,
  };
}

/** A list that comes whole. */
export function whole<T>(data: T[]): Page<T> {
  return { data, hasMore: false, nextCursor: null };
}

export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), hasMore: z.boolean(), nextCursor: z.string().nullable() });
}
