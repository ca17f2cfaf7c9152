import type { Command } from 'commander';
import { notFound } from '../../kernel/errors';
import type { DeskClient } from './client';
import { type Console, show, table } from './console';

interface Found {
  finder: string;
  title: string;
  rows: { id: string; tenantId: string | null; status: string | null; at: string | null }[];
  more: boolean;
}

/** Makes the command that finds records by a text. The text is sent in a body, because it may be an e-mail. */
export function addFind(
  program: Command,
  { console, client, json }: { console: Console; client: DeskClient; json: boolean },
): void {
  program
    .command('find <text>')
    .description(
      'records by an id or its beginning, a reference, an e-mail, or the last four digits of a card',
    )
    .option('--json', 'print an array of { "finder", "title", "rows", "more" }')
    .action(async (text: string) => {
      const { found } = (await client.post<{ found: Found[] }>('/search', { q: text })).body;
      if (found.length === 0) throw notFound('record');
      const rows = found.flatMap(({ title, rows: all }) =>
        all.map(({ id, tenantId, status, at }) => [id, tenantId, status, at, title]),
      );
      show(console, json, found, table(['id', 'client', 'status', 'since', 'found by'], rows));
    });
}
