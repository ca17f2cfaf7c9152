import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../../src/kernel/db/database';
import { temporalAt } from '../../support/outside/temporal-client';
import type { Fleet } from '../../support/product';

/** All that a running product has written anywhere, as text. */

/** Every row of every table, the audit trail among them: what a dump has, without its program. */
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

/** What the product's processes print, and what their servers write beside their data. */
export function logsOf({ api, worker, dataDir }: Fleet): string {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.log$/.test(name),
  );
  return [api.text(), worker.text(), ...files.map((name) => readFileSync(join(dataDir, name), 'utf8'))].join(
    '\n',
  );
}

/** The histories of all workflows that Temporal knows, with what their payloads hold. */
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

/** Bytes are base64 in the JSON of a history: those of payloads are the JSON that they were made of. */
const decoded = (history: string): string[] =>
  [...history.matchAll(BASE64)].map(([, text = '']) => Buffer.from(text, 'base64').toString('utf8'));

/** What Temporal keeps, as it is on disk. */
export const temporalStoreOf = ({ dataDir }: Fleet): string =>
  readdirSync(dataDir)
    .filter((name) => name.startsWith('temporal.db'))
    .map((name) => readFileSync(join(dataDir, name), 'latin1'))
    .join('\n');
