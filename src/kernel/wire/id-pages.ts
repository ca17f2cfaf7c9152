import { z } from 'zod';
import type { IdPage } from '../db/build';
import type { IdKind } from '../ids';
import { type Page, pageOf, type pageQuery, positionOf, positionPart } from './pages';

/** Pagination of lists that are sorted by record id, newest first. */

/**
 * The last id of the previous page.
 * @throws Problem 400 when the cursor does not belong to a list of this kind
 */
export function afterId(cursor: string | undefined, kind: IdKind): string | undefined {
  return positionOf(cursor, z.tuple([positionPart.id(kind)]))?.[0];
}

type PageQuery = z.output<z.ZodObject<typeof pageQuery>>;

/**
 * Splits a list's query into the page, with one extra row, and the list's own filters.
 * @throws Problem 400 when the cursor does not belong to a list of this kind
 */
export function idPage<Query extends PageQuery>(query: Query, kind: IdKind) {
  const { limit, cursor, from, to, ...filter } = query;
  const page: IdPage = { after: afterId(cursor, kind), rows: limit + 1, from, to };
  return { page, limit, filter };
}

/** @param rows `limit + 1` rows when there are more */
export function pageById<Row extends { id: string }, T>(
  rows: Row[],
  limit: number,
  show: (row: Row) => T,
): Page<T> {
  return pageOf(rows, limit, (row) => [row.id], show);
}
