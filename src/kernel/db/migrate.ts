import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Knex, knex } from 'knex';
import { lenderOf, SILENT } from './connections';
import type { Sql } from './database';

const MIGRATED = 'knex_migrations';
const FOLDER = join(__dirname, 'migrations');
/** One migrator at a time, however many processes start together: it goes with the connection, whatever becomes of us. */
const LOCK = 7_204_113;

/**
 * Brings the database to the newest schema: numbered SQL files, forward only, each in one transaction.
 * @returns the names of the files that were applied now
 */
export async function migrate(url: string): Promise<string[]> {
  const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 2 }, log: SILENT });
  const lock = await lenderOf(db).acquireConnection();
  try {
    await lock.query('select pg_advisory_lock($1)', [LOCK]);
    await takeOver(db);
    // Knex's own lock is a row, which a migrator that was killed leaves behind: ours has just said that nobody runs.
    await db.migrate.forceFreeMigrationsLock(MIGRATOR);
    const [, applied] = (await db.migrate.latest(MIGRATOR)) as [number, string[]];
    return applied;
  } finally {
    await lenderOf(db).releaseConnection(lock);
    await db.destroy();
  }
}

/** The migrations that this release needs and that the database has not seen. */
export async function missingMigrations(sql: Sql): Promise<string[]> {
  const [made] = await sql.query<{ there: boolean }>(
    `select to_regclass('${MIGRATED}') is not null as there`,
  );
  if (!made?.there) return migrationNames();
  const done = await sql.query<{ name: string }>(`select name from ${MIGRATED}`);
  const names = new Set(done.map(({ name }) => name));
  return migrationNames().filter((name) => !names.has(name));
}

/** The names of all migrations, oldest first. */
function migrationNames(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

const MIGRATOR: Knex.MigratorConfig = {
  tableName: MIGRATED,
  migrationSource: {
    getMigrations: async () => migrationNames(),
    getMigrationName: (name: string) => name,
    getMigration: async (name: string) => ({ up: (tx) => apply(tx, name), down: refuse }),
  },
};

async function apply(tx: Knex, name: string): Promise<void> {
  const connection = await lenderOf(tx).acquireConnection(); // the transaction's own
  // Whoever asks for a table queues behind one that waits to change it: rather fail, and be started again.
  await connection.query(`set local lock_timeout = '5s'`);
  // By the driver itself: Knex would take each `?` of the text for a binding.
  await connection.query(readFileSync(join(FOLDER, name), 'utf8'));
}

async function refuse(): Promise<void> {
  throw new Error('migrations lead forward only');
}

/** What the first migrator had applied counts. Its table stays, for a process of that release. */
async function takeOver(db: Knex): Promise<void> {
  await db.migrate.currentVersion(MIGRATOR); // makes Knex's tables where there are none
  await db.raw(`
    do $$ begin
      if to_regclass('schema_migrations') is not null then
        insert into ${MIGRATED} (name, batch, migration_time)
        select name, 0, at from schema_migrations s
         where not exists (select 1 from ${MIGRATED} m where m.name = s.name) order by name;
      end if;
    end $$`);
}
