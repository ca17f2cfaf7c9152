import { z } from 'zod';
import type { WaitingPlace } from '../kernel/db/waiting';
import { type Page, pageOf, positionOf, positionPart } from '../kernel/wire/pages';
import { type Cell, type List, rowOf } from '../process/desk/list';

/** The row's place that a cursor names. @throws Problem 400 when it is no cursor of a list */
export function placeOfCursor(cursor: string | undefined): WaitingPlace | undefined {
  const position = positionOf(cursor, z.tuple([positionPart.instant(), z.string()]));
  return position && { since: new Date(position[0]), id: position[1] };
}

/** A page of a list as its rows are on the wire. @param filters parsed by the list's schema @throws Problem 400 */
export async function readPage(
  list: List,
  {
    filters,
    cursor,
    limit,
  }: { filters: Record<string, unknown>; cursor?: string | undefined; limit: number },
): Promise<Page<Record<string, Cell>>> {
  const rows = await list.rows({ filters, after: placeOfCursor(cursor), limit: limit + 1 });
  return pageOf(
    rows,
    limit,
    (row) => positionIn(list, row),
    (row) => rowOf(list, row),
  );
}

function positionIn(list: List, row: unknown): string[] {
  const { since, id } = list.place(row);
  return [since.toISOString(), id];
}
