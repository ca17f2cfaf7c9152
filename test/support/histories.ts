import type { Client } from './api';

export interface HistoryItem {
  version: number;
  kind: string;
  id: string;
  occurredAt: string;
  referenceId: string;
  [field: string]: unknown;
}

/** All pages of a history, from the newest item to the oldest. */
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
 * Pages through a history again and again, in small pages, while writers write. Whoever has seen an item must see all that
 * came before it, once: each walk is the end of what stands there at last.
 * @returns the walks, and the history once all has been written
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

/** What the walks missed or saw twice; nothing when they are right. */
export function faultyWalks(walks: HistoryItem[][], whole: HistoryItem[]): string[][] {
  const ids = whole.map(({ id }) => id);
  return walks
    .map((items) => items.map(({ id }) => id))
    .filter((seen) => seen.join() !== ids.slice(ids.length - seen.length).join());
}
