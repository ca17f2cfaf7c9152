import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../../src/kernel/db/database';
import { temporalAt } from '../../support/outside/temporal-client';
import type { Fleet } from '../../support/product';

/** Collects all text that a running product has written anywhere. */

/** Returns every row of every table, including the audit log: the content of a dump. */
export async function dumpOf(database: Database): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(`select t::text as row from ${name} t`);
    parts.push(name, ...rows.map(({ row }) => row));
  }
  return parts.join('\n');
}

/** A column with all its values, one a line. */
export interface WrittenColumn {
  table: string;
  column: string;
  text: string;
}

/** Returns every value of every column. Bytes appear as they are, and in hexadecimal. */
export async function columnsOf(database: Database): Promise<WrittenColumn[]> {
  const columns = await database.query<{ table: string; column: string; isBytes: boolean }>(
    `select format('%I.%I', c.table_schema, c.table_name) as table, c.column_name as column,
            c.data_type = 'bytea' as "isBytes"
       from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where table_schema not in ('pg_catalog', 'information_schema') and t.table_type = 'BASE TABLE' order by 1, 2`,
  );
  const written: WrittenColumn[] = [];
  for (const { table, column, isBytes } of columns) {
    const value = isBytes ? `"${column}"` : `"${column}"::text`;
    const rows = await database.query<{ value: string | Buffer | null }>(
      `select ${value} as value from ${table} where "${column}" is not null`,
    );
    const text = rows.map((row) => textOf(row.value)).join('\n');
    written.push({ table, column, text });
  }
  return written;
}

const textOf = (value: string | Buffer | null): string =>
  Buffer.isBuffer(value) ? `${value.toString('latin1')} ${value.toString('hex')}` : (value ?? '');

/** Returns the output of the product's processes and the logs of their servers. */
export function logsOf({ api, worker, dataDir }: Fleet): string {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.log$/.test(name),
  );
  return [api.text(), worker.text(), ...files.map((name) => readFileSync(join(dataDir, name), 'utf8'))].join(
    '\n',
  );
}

/** Returns the files of the documents store, by name. */
export const documentsOf = ({ dataDir }: Fleet): Map<string, string> => {
  const folder = join(dataDir, 'documents');
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'latin1')]),
  );
};

/** Returns the histories of all workflows in Temporal, with the content of their payloads. */
export async function historiesOf({ temporalAddress }: Pick<Fleet, 'temporalAddress'>): Promise<string> {
  const temporal = temporalAt(temporalAddress);
  const parts: string[] = [];
  try {
    for await (const { workflowId, runId } of temporal.client.workflow.list()) {
      const history = JSON.stringify(
        await temporal.client.workflow.getHandle(workflowId, runId).fetchHistory(),
      );
      parts.push(workflowId, history, ...decoded(history));
    }
  } finally {
    await temporal.close();
  }
  return parts.join('\n');
}

const BASE64 = /"([A-Za-z0-9+/]{4,}={0,2})"/g;

/** Decodes payloads. The JSON of a history has bytes in base64, and those of payloads are JSON. */
const decoded = (history: string): string[] =>
  [...history.matchAll(BASE64)].map(([, text = '']) => Buffer.from(text, 'base64').toString('utf8'));

/** Returns Temporal's store as it is on disk. */
export const temporalStoreOf = ({ dataDir }: Fleet): string =>
  readdirSync(dataDir)
    .filter((name) => name.startsWith('temporal.db'))
    .map((name) => readFileSync(join(dataDir, name), 'latin1'))
    .join('\n');
