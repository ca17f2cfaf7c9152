import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createDatabase, type Database, type Sql } from '../../src/kernel/db/database';
import { runtimeUrl } from '../../src/startup/embedded/postgres/connection';
import { timed } from './run/timed';

/** The migrated database that each test copies, on the server of this run. The global setup creates it. */
export const TEMPLATE = 'cardwright_template';

export function serverUrl(): string {
  const url = process.env['TEST_POSTGRES_URL'];
  if (!url) throw new Error('the global setup has not started Postgres');
  return url;
}

export function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.toString();
}

export interface TestDatabase {
  /** As the owner, for preparations and proofs of a test. */
  database: Database;
  /** As the runtime role, for the product. */
  runtime: Database;
  url: string;
  runtimeUrl: string;
  drop(): Promise<void>;
}

/** Creates a migrated database on the run's real Postgres. */
export async function testDatabase(poolSize = 24): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copying files needs a fifth of the processor time of the default, which copies through the log.
  const copy = `create database ${name} template ${TEMPLATE} strategy file_copy`;
  await timed('databases', () => onServer(copy));
  const url = urlOf(name);
  const database = createDatabase({ url, poolSize, name });
  const runtime = createDatabase({ url: runtimeUrl(url), poolSize, name });
  return {
    database,
    runtime,
    url,
    runtimeUrl: runtimeUrl(url),
    async drop() {
      await Promise.all([database.close(), runtime.close()]);
      await timed('databases', () => onServer(`drop database ${name} with (force)`));
    },
  };
}

export async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await client.query(statement);
        return;
      } catch (error) {
        // Another test copies the template at this moment.
        if ((error as { code?: string }).code !== '55006' || attempt === 50) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  } finally {
    await client.end();
  }
}

/** Runs a statement of the owner without triggers, for states that the product itself can never reach. */
export const pastGuards = (owner: Pick<Sql, 'query'>, statement: string): Promise<unknown[]> =>
  owner.query(`set session_replication_role = replica; ${statement}; reset session_replication_role`);
