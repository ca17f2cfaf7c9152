import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { writeTogether } from '../../../src/kernel/db/writes';
import { newId } from '../../../src/kernel/ids';
import { openBook } from '../../../src/kernel/ledger/book';
import { type Entry, type Posting } from '../../../src/kernel/ledger/entries';
import type { Client, TestApi } from '../../support/api';

export interface Line {
  id: string;
  timestamp: string;
  type: string;
  subtype?: string;
  referenceId: string;
  amount: string;
  change: string;
  balance: string;
  remitter?: { name: string; iban?: string };
}

export interface StatementBody {
  accountId: string;
  currency: string;
  from: string;
  to: string;
  complete: boolean;
  openingBalance: string;
  closingBalance: string;
  lines: Line[];
  totals: { type: string; subtype?: string; count: number; change: string }[];
}

export const pathOf = (accountId: string, query: Record<string, string>): string =>
  `/v1/accounts/${accountId}/statement?${new URLSearchParams(query).toString()}`;

export const hour = 3_600_000;
export const soon = () => new Date(Date.now() + hour).toISOString();
export const lately = () => new Date(Date.now() - hour).toISOString();

export async function statementOf(
  client: Client,
  accountId: string,
  { from = lately(), to = soon() }: { from?: string; to?: string } = {},
): Promise<StatementBody> {
  const { status, body, text } = await client.call('GET', pathOf(accountId, { from, to }));
  if (status !== 200) throw new Error(`no statement: ${text}`);
  return body as StatementBody;
}

/** Rows of RFC 4180. */
export function rowsOf(csv: string): string[][] {
  if (!csv.endsWith('\r\n')) throw new Error('the last line has no end');
  const rows: string[][] = [[]];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (const [, quoted, bare = '', end] of csv.matchAll(cells)) {
    rows.at(-1)?.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

/** Lines of a CSV with a header, by column. */
export function recordsOf(csv: string): Record<string, string>[] {
  const [header = [], ...rows] = rowsOf(csv);
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])));
}

/** Reads a file of the API. The shared client of tests reads text. */
export async function downloaded(api: TestApi, client: Client, path: string): Promise<Buffer> {
  const answer = await request(api.url + path, {
    headers: { 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret },
    dispatcher: downloads,
  });
  return Buffer.from(await answer.body.arrayBuffer());
}

const downloads = new Agent();
export const closeDownloads = () => downloads.close();

/** The text of each page. */
export function pagesOf(pdf: Buffer): string[] {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(__dirname, '../../support/pdf-text.mjs')],
    { input: pdf, maxBuffer: 1 << 28 },
  );
  if (status !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString()) as string[];
}

/** Posts entries in one transaction. */
export const post = (api: TestApi, accounts: string[], entries: Entry[][]): Promise<void> =>
  api.database.transaction(async (tx) => {
    const book = await openBook(tx, accounts);
    for (const each of entries) {
      const posting: Posting = { entries: each, forced: true };
      book.post(posting);
    }
    await writeTogether(tx, [book.written()]);
  });

export const reference = () => newId('reference');
