import { z } from 'zod';
import { invalid } from '../errors';
import { type IdKind, isId } from '../ids';
import { moment, text } from './schemas';

/** Period of `createdAt`: `from` is included, `to` is excluded. */
export const periodQuery = {
  from: moment().optional().meta({
    description: 'Only records of this moment or later. A date means its midnight in UTC.',
  }),
  to: moment().optional().meta({
    description: 'Only records before this moment. A date means its midnight in UTC.',
  }),
};

/** Query of every list of records. Newest first, with `limit` (1–100, default 20), an opaque `cursor` and a period. */
export const pageQuery = {
  ...periodQuery,
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, 'must be a whole number from 1 to 100')
    .transform(Number)
    .default(20)
    .meta({
      override: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      description: 'Items a page: 1 to 100, by default 20.',
    }),
  cursor: z.string().max(500).optional().meta({
    description: 'The `nextCursor` of the page before. Opaque; valid for the same list only.',
  }),
};

/**
 * Filter of a list by a record's id. An unknown or malformed id finds nothing; a text that Postgres would refuse is a
 * 400 (decisions part 1).
 */
export const idFilter = (example: string) =>
  text(200)
    .min(1)
    .optional()
    .meta({ examples: [example] });

export interface Page<T> {
  data: T[];
  hasMore: boolean;
  nextCursor: string | null;
}

/** Sort key of a page's last row, as texts. */
export type Position = string[];

/** Schemas of a sort key's parts. A cursor with other content does not belong to the list. */
export const positionPart = {
  id: (kind: IdKind) => z.string().refine((text) => isId(kind, text)),
  /** Milliseconds in UTC, as `Date.toISOString` formats them. */
  instant: () => z.string().refine(isInstant),
  /** Number of an entry or status change of an account or card. */
  number: () => z.string().regex(/^\d{1,18}$/),
};

function isInstant(text: string): boolean {
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString() === text;
}

/**
 * Decodes a cursor.
 * @param shape a tuple of {@link positionPart}s
 * @throws Problem 400 when the cursor does not belong to the list
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

/** The cursor is not one of this list. */
export const foreignCursor = () => invalid('cursor is not a valid cursor of this list.', 'cursor');

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A page from `limit + 1` rows. The extra row shows that there are more. */
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

/** A list on one page. */
export function whole<T>(data: T[]): Page<T> {
  return { data, hasMore: false, nextCursor: null };
}

/**
 * The page of a list. In the document it is named after its items: `Card`, `CardList`. The same items always give the same
 * schema, because the document takes a name once.
 */
export function pageSchema<T extends z.ZodType>(item: T): PageSchema<T> {
  const known = pages.get(item) as PageSchema<T> | undefined;
  if (known) return known;
  const page = z.object({ data: z.array(item), hasMore: z.boolean(), nextCursor: z.string().nullable() });
  const name = item.meta()?.id;
  const named =
    name === undefined ? page : page.meta({ id: `${name}List`, description: 'A page of a list.' });
  pages.set(item, named);
  return named;
}

type PageSchema<T extends z.ZodType> = z.ZodObject<{
  data: z.ZodArray<T>;
  hasMore: z.ZodBoolean;
  nextCursor: z.ZodNullable<z.ZodString>;
}>;

const pages = new WeakMap<z.ZodType, z.ZodType>();
