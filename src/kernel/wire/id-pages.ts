import { z } from 'zod';
import type { IdKind } from '../ids';
import { type Page, pageOf, positionOf, positionPart } from './pages';

/** Pages of a list that is sorted by its records' ids, newest first. */

/**
 * The id that the page before ended with.
 * @throws Problem 400 when the cursor is not one of a list of these records
 */
export function afterId(cursor: string | undefined, kind: IdKind): string | undefined {
  return positionOf(cursor, z.tuple([positionPart.id(kind)]))?.[0];
}

/** @param rows one more than `limit` when there are more */
export function pageById<Row extends { id: string }, T>(
  rows: Row[],
  limit: number,
  show: (row: Row) => T,
): Page<T> {
  return pageOf(rows, limit, (row) => [row.id], show);
}
