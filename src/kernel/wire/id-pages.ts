import { z } from 'zod';
import type { IdPage } from '../db/build';
import type { IdKind } from '../ids';
import { type Page, pageOf, type pageQuery, positionOf, positionPart } from './pages';

/** Pages of a list that is sorted by its records' ids, newest first. */

/**
 * The id that the page before ended with.
 * @throws Problem 400 when the cursor is not one of a list of these records
 */
export function afterId(cursor: string | undefined, kind: IdKind): string | undefined {
  return positionOf(cursor, z.tuple([positionPart.id(kind)]))?.[0];
}

type PageQuery = z.output<z.ZodObject<typeof pageQuery>>;

/**
 * A list's query apart: the page that is read, one row longer than it is shown, and the list's own filters.
 * @throws Problem 400 when the cursor is not one of a list of these records
 */
export function idPage<Query extends PageQuery>(query: Query, kind: IdKind) {
  const { limit, cursor, from, to, ...filter } = query;
  const page: IdPage = { after: afterId(cursor, kind), rows: limit + 1, from, to };
  return { page, limit, filter };
}

/** @param rows one more than `limit` when there are more */
export function pageById<Row extends { id: string }, T>(
  rows: Row[],
  limit: number,
  show: (row: Row) => T,
): Page<T> {
  return pageOf(rows, limit, (row) => [row.id], show);
}
