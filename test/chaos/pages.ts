import type { Persistent } from './persistent';

/** Reads every page of a list. @param path with the query, and without a cursor */
export async function allOf<Row>({ get }: Pick<Persistent, 'get'>, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor = ''; ; ) {
    const page = await get(path + cursor);
    rows.push(...page.data);
    if (!page.hasMore) return rows;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}
