import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

const FOLDER = join(__dirname, 'migrations');
/** One migrator at a time, however many processes start together. */
const LOCK = 7_204_113;

/**
 * Brings the database to the newest schema: numbered SQL files, forward only, each in one transaction.
 * @returns the names of the files that were applied now
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, at timestamptz not null default now())',
    );
    const done = new Set(
      (await client.query<{ name: string }>('select name from schema_migrations')).rows.map(
        (row) => row.name,
      ),
    );
    const pending = migrationFiles().filter((name) => !done.has(name));
    for (const name of pending) await apply(client, name);
    return pending;
  } finally {
    await client.end();
  }
}

function migrationFiles(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

async function apply(client: Client, name: string): Promise<void> {
  await client.query('begin');
  // Whoever asks for a table queues behind one that waits to change it: rather fail, and be started again.
  await client.query(`set local lock_timeout = '5s'`);
  await client.query(readFileSync(join(FOLDER, name), 'utf8'));
  await client.query('insert into schema_migrations (name) values ($1)', [name]);
  await client.query('commit');
}
