import { z } from 'zod';
import { invalid } from '../errors';
import { timestamp } from './schemas';

/** Lists are newest first: `?limit=` (1–100, default 20) and an opaque `?cursor=`. */
export const pageQuery = {
  limit: z.coerce.number({ error: 'must be a whole number from 1 to 100' }).int().min(1).max(100).default(20),
  cursor: z.string().optional(),
};

export const periodQuery = { from: timestamp().optional(), to: timestamp().optional() };

export interface Page<T> {
  data: T[];
  hasMore: boolean;
  nextCursor: string | null;
}

/** Where a page ended: the sort key of its last row, as texts. */
export type Position = string[];

/** @throws Problem 400 when the cursor is not one that was given out for a list sorted by `parts` texts */
export function positionOf(cursor: string | undefined, parts: number): Position | undefined {
  if (cursor === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(value) && value.length === parts && value.every((part) => typeof part === 'string'))
      return value;
  } catch {
    // falls through to the refusal
  }
  throw invalid('cursor is not one that this list has given out.', 'cursor');
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
