import type { Client } from './api';

export interface HistoryItem {
  version: number;
  kind: string;
  id: string;
  occurredAt: string;
  referenceId: string;
  [field: string]: unknown;
}

/** Reads all pages of a history, from the newest item to the oldest. */
export async function walk(client: Client, path: string, limit = 100): Promise<HistoryItem[]> {
  const items: HistoryItem[] = [];
  for (let cursor = ''; ; ) {
    const separator = path.includes('?') ? '&' : '?';
    const { status, body, text } = await client.call('GET', `${path}${separator}limit=${limit}${cursor}`);
    if (status !== 200) throw new Error(`no page: ${text}`);
    items.push(...body.data);
    if (!body.hasMore) return items;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

/**
 * Pages through a history repeatedly, in small pages, while writers write. A walk that has seen an item must also see
 * all earlier items once. So each walk is the end of the final history.
 * @returns the walks, and the final history
 */
export async function walkWhile(client: Client, path: string, write: () => Promise<unknown>) {
  const walks: HistoryItem[][] = [];
  let writing = true;
  const writers = write().finally(() => {
    writing = false;
  });
  while (writing) walks.push(await walk(client, path, 3));
  await writers;
  return { walks, whole: await walk(client, path) };
}

/** Returns the items that walks missed or saw twice; empty when all are correct. */
export function faultyWalks(walks: HistoryItem[][], whole: HistoryItem[]): string[][] {
  const ids = whole.map(({ id }) => id);
  return walks
    .map((items) => items.map(({ id }) => id))
    .filter((seen) => seen.join() !== ids.slice(ids.length - seen.length).join());
}
